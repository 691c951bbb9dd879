//! A step of the program with an input of any size.

/// What is left to do once the inputs are there; its result is only looked at so that it is not optimised away.
pub(crate) type Work = Box<dyn FnOnce() -> usize>;

/// A step, with the way to its inputs.
pub(crate) struct Case {
    /// What it is known by: `group/step`.
    pub(crate) name: String,
    /// The smallest size at which it is counted; it is also counted at twice and four times that.
    pub(crate) size: usize,
    /// Makes the inputs of a size.
    pub(crate) prepare: Box<dyn Fn(usize) -> Work + Send + Sync>,
}

impl Case {
    /// A step.
    pub(crate) fn new<W: FnOnce() -> usize + 'static>(
        name: impl Into<String>,
        size: usize,
        prepare: impl Fn(usize) -> W + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), size, prepare: Box::new(move |n| Box::new(prepare(n))) }
    }
}
