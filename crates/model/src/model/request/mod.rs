//! Requests, and what a spec says about one.
//!
//! | question | files |
//! |---|---|
//! | how often is it made? | `how_often` |
//! | what becomes of it, and what was expected? | `verdict` |
//! | what of it must not be shown? | `secret` |

mod how_often;
mod secret;
mod verdict;

pub use how_often::Rate;
pub use secret::{has_secret_argument, shown_path, sounds_secret, without_secrets};
pub use verdict::{Outcome, VerdictExpected};
#[doc(hidden)]
pub use zonewright_expression::clip;
pub use zonewright_expression::{Body, Given, Request, RequestError};
