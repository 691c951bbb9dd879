//! Runs cases in parallel, because most of their time is waiting.

use std::sync::Mutex;

/// The number of parallel cases.
const MOST: usize = 8;

/// Runs every case, several in parallel; panics if one of them does.
pub(crate) fn concurrently<T: Send>(
    cases: impl IntoIterator<Item = T>,
    attempt: impl Fn(T) + Sync,
) {
    let cases: Mutex<Vec<T>> = Mutex::new(cases.into_iter().collect());
    std::thread::scope(|scope| {
        for _ in 0..MOST {
            scope.spawn(|| {
                loop {
                    let case = cases.lock().unwrap().pop();
                    let Some(case) = case else { break };
                    attempt(case);
                }
            });
        }
    });
}
