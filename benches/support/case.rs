//! A step of the program with an input of any size.

/// The measured part of a case. Its inputs are dropped after the measurement; the result is only
/// used so that the compiler cannot remove the work.
pub(crate) type Work = Box<dyn FnMut() -> usize>;

/// The largest allowed exponent of growth: sorting is below it, and two nested loops are far above.
const MOST_GROWTH: f64 = 1.25;

/// A step, and how to make its inputs.
pub(crate) struct Case {
    /// Its name: `group/step`.
    pub(crate) name: String,
    /// The smallest size at which it is counted; it is also counted at twice and four times that.
    pub(crate) size: usize,
    /// The largest allowed exponent of growth.
    pub(crate) most_growth: f64,
    /// Makes the inputs of a size.
    pub(crate) prepare: Box<dyn Fn(usize) -> Work + Send + Sync>,
}

impl Case {
    /// Returns a step.
    pub(crate) fn new<W: FnMut() -> usize + 'static>(
        name: impl Into<String>,
        size: usize,
        prepare: impl Fn(usize) -> W + Send + Sync + 'static,
    ) -> Self {
        let prepare = Box::new(move |n| -> Work { Box::new(prepare(n)) });
        Self { name: name.into(), size, most_growth: MOST_GROWTH, prepare }
    }

    /// Returns the same step, which may grow faster, because another limit bounds its work.
    pub(crate) fn growing(self, most_growth: f64) -> Self {
        Self { most_growth, ..self }
    }
}
