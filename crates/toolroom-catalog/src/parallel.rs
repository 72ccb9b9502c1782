//! Maps a list on all cores, in order. Small lists are not worth a thread.

use std::sync::atomic::{AtomicUsize, Ordering};

const WORTH_A_THREAD: usize = 64;
/// Items taken at a time: few enough to share fairly, many enough to seldom ask.
const BATCH: usize = 16;

/// Applies `work` to every item; results keep the items' order. Each worker has a desk of
/// its own, on which it may leave things for the next item.
pub(crate) fn map<T: Sync, R: Send, D: Default>(
    items: &[T],
    work: impl Fn(&mut D, &T) -> R + Sync,
) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = cores.min(items.len() / WORTH_A_THREAD + 1);
    if threads <= 1 {
        let mut desk = D::default();
        return items.iter().map(|item| work(&mut desk, item)).collect();
    }
    let next = AtomicUsize::new(0);
    let mut batches: Vec<(usize, Vec<R>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut done = Vec::new();
                    let mut desk = D::default();
                    loop {
                        let start = next.fetch_add(BATCH, Ordering::Relaxed);
                        let Some(batch) = items.get(start..items.len().min(start + BATCH)) else {
                            return done;
                        };
                        if batch.is_empty() {
                            return done;
                        }
                        let results = batch.iter().map(|item| work(&mut desk, item));
                        done.push((start, results.collect()));
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| match worker.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    });
    batches.sort_by_key(|(start, _)| *start);
    batches.into_iter().flat_map(|(_, batch)| batch).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_keep_the_order_of_the_items() {
        for length in [0, 1, 63, 64, 1000, 1001] {
            let items: Vec<usize> = (0..length).collect();
            let doubled: Vec<usize> = items.iter().map(|n| n * 2).collect();
            assert_eq!(super::map(&items, |(), n| n * 2), doubled);
        }
    }
}
