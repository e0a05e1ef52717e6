//! The interface of custom operations to Burn, so that the file of each holds its mathematics only.
//!
//! A [`CustomOp`] is a forward and a backward pass over tensors of the CPU backend. [`apply1`],
//! [`apply2`] and [`apply3`] lead a Burn tensor through its dispatch to the operation and, under
//! autodiff, put the operation into the graph.

use super::slice;
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::Tensor;
use std::fmt::Debug;
use std::marker::PhantomData;

/// A tensor of the CPU backend.
pub(crate) type Primitive = FloatTensor<Flex>;

/// An operation on `N` tensors with a custom gradient. All tensors that it is given are
/// contiguous.
///
/// An input that is a constant to the operation, such as a mask, is detached before it is passed,
/// and has no gradient.
pub(crate) trait CustomOp<const N: usize>: Debug + Send + Sized + 'static {
    /// Values of the forward pass that the backward pass needs.
    type Saved: Clone + Debug + Send + 'static;

    /// The output when no gradient will be requested.
    fn infer(self, inputs: [Primitive; N]) -> Primitive {
        self.forward(inputs, [false; N]).0
    }

    /// The output; `wanted` says which inputs' gradients the backward pass will compute.
    fn forward(self, inputs: [Primitive; N], wanted: [bool; N]) -> (Primitive, Self::Saved);

    /// The gradients of the wanted inputs, from that of the output.
    fn backward(saved: Self::Saved, upstream: &[f32], wanted: [bool; N]) -> [Option<Primitive>; N];
}

/// Applies an operation to a tensor of the CPU backend, with or without autodiff.
pub(crate) fn apply1<O: CustomOp<1>, const A: usize, const D: usize>(
    op: O,
    a: Tensor<A>,
) -> Tensor<D> {
    Tensor::from_dispatch(<Dispatch as CustomOps>::apply1(op, a.into_dispatch()))
}

/// [`apply1`] for two tensors.
pub(crate) fn apply2<O: CustomOp<2>, const A: usize, const B: usize, const D: usize>(
    op: O,
    a: Tensor<A>,
    b: Tensor<B>,
) -> Tensor<D> {
    Tensor::from_dispatch(<Dispatch as CustomOps>::apply2(op, a.into_dispatch(), b.into_dispatch()))
}

/// [`apply1`] for three tensors.
pub(crate) fn apply3<
    O: CustomOp<3>,
    const A: usize,
    const B: usize,
    const C: usize,
    const D: usize,
>(
    op: O,
    a: Tensor<A>,
    b: Tensor<B>,
    c: Tensor<C>,
) -> Tensor<D> {
    Tensor::from_dispatch(<Dispatch as CustomOps>::apply3(
        op,
        a.into_dispatch(),
        b.into_dispatch(),
        c.into_dispatch(),
    ))
}

/// The operations as methods for Burn's dispatch: it finds tensors by the types of single arguments,
/// so there is a method for each number of them.
#[backend_extension(Flex, Autodiff)]
pub(crate) trait CustomOps: Backend {
    fn apply1<O: CustomOp<1>>(op: O, a: FloatTensor<Self>) -> FloatTensor<Self>;

    fn apply2<O: CustomOp<2>>(
        op: O,
        a: FloatTensor<Self>,
        b: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    fn apply3<O: CustomOp<3>>(
        op: O,
        a: FloatTensor<Self>,
        b: FloatTensor<Self>,
        c: FloatTensor<Self>,
    ) -> FloatTensor<Self>;
}

impl CustomOps for Flex {
    fn apply1<O: CustomOp<1>>(op: O, a: Primitive) -> Primitive {
        op.infer([a].map(contiguous))
    }

    fn apply2<O: CustomOp<2>>(op: O, a: Primitive, b: Primitive) -> Primitive {
        op.infer([a, b].map(contiguous))
    }

    fn apply3<O: CustomOp<3>>(op: O, a: Primitive, b: Primitive, c: Primitive) -> Primitive {
        op.infer([a, b, c].map(contiguous))
    }
}

impl<C: CheckpointStrategy> CustomOps for Autodiff<Flex, C> {
    fn apply1<O: CustomOp<1>>(op: O, a: FloatTensor<Self>) -> FloatTensor<Self> {
        in_graph::<C, O, 1>(op, [a])
    }

    fn apply2<O: CustomOp<2>>(
        op: O,
        a: FloatTensor<Self>,
        b: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        in_graph::<C, O, 2>(op, [a, b])
    }

    fn apply3<O: CustomOp<3>>(
        op: O,
        a: FloatTensor<Self>,
        b: FloatTensor<Self>,
        c: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        in_graph::<C, O, 3>(op, [a, b, c])
    }
}

fn contiguous(tensor: Primitive) -> Primitive {
    tensor.to_contiguous()
}

/// Runs the operation and adds it to the autodiff graph.
fn in_graph<C: CheckpointStrategy, O: CustomOp<N>, const N: usize>(
    op: O,
    inputs: [FloatTensor<Autodiff<Flex, C>>; N],
) -> FloatTensor<Autodiff<Flex, C>> {
    let wanted = inputs.each_ref().map(|input| input.is_tracked());
    let nodes = inputs.each_ref().map(|input| input.node());
    let prepared = BackwardStep::<O>(PhantomData).prepare::<C>(nodes).compute_bound().stateful();
    let inputs = inputs.map(|input| contiguous(input.into_primitive()));
    match prepared {
        OpsKind::Tracked(prep) => {
            let (output, saved) = op.forward(inputs, wanted);
            prep.finish(saved, output)
        }
        OpsKind::UnTracked(prep) => prep.finish(op.infer(inputs)),
    }
}

/// An operation's step of the backward pass.
#[derive(Debug)]
struct BackwardStep<O>(PhantomData<fn() -> O>);

impl<O: CustomOp<N>, const N: usize> Backward<Flex, N> for BackwardStep<O> {
    type State = O::Saved;

    fn backward(
        self,
        ops: Ops<Self::State, N>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let upstream = contiguous(grads.consume::<Flex>(&ops.node));
        let wanted = ops.parents.each_ref().map(Option::is_some);
        let gradients = O::backward(ops.state, slice(&upstream), wanted);
        for (parent, gradient) in ops.parents.iter().zip(gradients) {
            if let (Some(parent), Some(gradient)) = (parent, gradient) {
                grads.register::<Flex>(parent.id, gradient);
            }
        }
    }
}
