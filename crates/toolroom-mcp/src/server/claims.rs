//! Ids of requests that are not answered yet, for each session over HTTP: an id belongs to
//! one request at a time. `1` and `"1"` are two ids.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::RequestId;

use super::sessions::Stay;

/// A client may have its answer a moment before we know that it was sent.
const MOMENT: Duration = Duration::from_millis(20);
const MOMENTS: usize = 5;

/// The ids whose answers are on their way.
#[derive(Debug, Default)]
pub struct Claims(Mutex<HashSet<RequestId>>);

impl Claims {
    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Claims an id; none if another request has it.
pub async fn claim(stay: &Arc<Stay>, id: &RequestId) -> Option<Claim> {
    for _ in 0..MOMENTS {
        // A call whose client lost its stream goes on, and keeps its id.
        if !stay.answers(id) && stay.claims.ids().insert(id.clone()) {
            return Some(Claim {
                stay: stay.clone(),
                id: id.clone(),
            });
        }
        tokio::time::sleep(MOMENT).await;
    }
    None
}

/// An id that belongs to one request until this is dropped.
#[derive(Debug)]
pub struct Claim {
    stay: Arc<Stay>,
    id: RequestId,
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.stay.claims.ids().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_id_is_free_again_once_its_claim_is_dropped() {
        let (stay, other) = (Arc::<Stay>::default(), Arc::<Stay>::default());
        let (number, text) = (RequestId::Number(1), RequestId::String("1".into()));
        let first = claim(&stay, &number).await.unwrap();
        assert!(claim(&stay, &number).await.is_none());
        let _text = claim(&stay, &text).await.unwrap();
        let _of_another_session = claim(&other, &number).await.unwrap();
        drop(first);
        assert!(claim(&stay, &number).await.is_some());
    }
}
