//! What clients post: each message is handed on under an id that is its own, and what
//! cannot be handed on is told what is wrong with it.

use std::sync::Arc;

use http::request::Parts;
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use hyper::body::Bytes;
use rmcp::model::RequestId;

use super::batch::{self, Member};
use super::fault::Fault;
use super::{Answer, Door, JSON, held, is_of, merge};
use crate::server::claims::{self, Claim};
use crate::server::envelope::{Head, misread};
use crate::server::sessions::Stay;

impl Door {
    /// Hands a request on, and a batch message by message.
    pub(super) async fn handled(&self, request: Request<Bytes>, stay: &Arc<Stay>) -> Answer {
        if request.method() != Method::POST {
            return self.service.handle(request.map(Full::new)).await;
        }
        let (head, body) = request.into_parts();
        let answered = if batch::is_one(&body) {
            self.batch(head, &body, stay).await
        } else {
            self.single(head, body, stay).await
        };
        answered.unwrap_or_else(|fault| fault.answer())
    }

    async fn single(&self, head: Parts, body: Bytes, stay: &Arc<Stay>) -> Result<Answer, Fault> {
        let id = serde_json::from_slice::<Head>(&body)
            .ok()
            .and_then(Head::of_request);
        let claims = claimed(stay, id.as_ref()).await?;
        let is_json = is_of(&head.headers, JSON);
        let request = Request::from_parts(head, Full::new(body.clone()));
        let answer = self.service.handle(request).await;
        // How the SDK refuses what it cannot read, in words that are no message.
        if is_json && answer.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return Err(Fault::from(misread(&body)));
        }
        Ok(answer.map(|body| held(body, claims)))
    }

    async fn batch(&self, head: Parts, body: &Bytes, stay: &Arc<Stay>) -> Result<Answer, Fault> {
        batch::allowed(&head.headers, stay.revision())?;
        let members = batch::read(body)?;
        let claims = claimed(stay, members.iter().filter_map(Member::id)).await?;
        Ok(merge::answer(&self.service, head, members, claims).await)
    }
}

/// Claims the ids of what was posted, for until each is answered. The SDK would answer the
/// last request of an id alone, and leave the others waiting for ever.
async fn claimed(
    stay: &Arc<Stay>,
    ids: impl IntoIterator<Item = &RequestId>,
) -> Result<Vec<Claim>, Fault> {
    let mut claims = Vec::new();
    for id in ids {
        let Some(claim) = claims::claim(stay, id).await else {
            let reason = format!("the id {id} is that of a request not answered yet");
            return Err(Fault::invalid(Some(id.clone()), reason));
        };
        claims.push(claim);
    }
    Ok(claims)
}
