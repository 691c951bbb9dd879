//! Cases that wait for the most part are tried together.

use std::sync::Mutex;

/// How many at once.
const MOST: usize = 8;

/// Tries every case, several at once; panics if one of them does.
pub(crate) fn at_once<T: Send>(cases: impl IntoIterator<Item = T>, attempt: impl Fn(T) + Sync) {
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
