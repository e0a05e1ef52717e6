//! The size of a network before it takes any memory.

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::Tensor;

/// The number of parameters of a module by their shapes, whether they are initialised or not.
pub(crate) fn outlined_parameters<M: Module>(module: &M) -> usize {
    let mut counter = Counter(0);
    module.visit(&mut counter);
    counter.0
}

struct Counter(usize);

impl ModuleVisitor for Counter {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let size = param.lazy_shape().iter().fold(1_usize, |size, &n| size.saturating_mul(n));
        self.0 = self.0.saturating_add(size);
    }
}
