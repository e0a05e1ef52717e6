//! The operations of networks, by short names.

use crate::graph::{Graph, Kind, Value, int, ints, word};

impl Graph {
    /// a + b
    pub fn add(&mut self, a: &Value, b: &Value) -> Value {
        self.op("Add", &[a, b])
    }

    /// a − b
    pub fn sub(&mut self, a: &Value, b: &Value) -> Value {
        self.op("Sub", &[a, b])
    }

    /// a · b, elementwise
    pub fn mul(&mut self, a: &Value, b: &Value) -> Value {
        self.op("Mul", &[a, b])
    }

    /// a · number
    pub fn times(&mut self, a: &Value, factor: f32) -> Value {
        let factor = self.float(factor);
        self.mul(a, &factor)
    }

    /// The matrix product.
    pub fn matmul(&mut self, a: &Value, b: &Value) -> Value {
        self.op("MatMul", &[a, b])
    }

    /// max(0, a)
    pub fn relu(&mut self, a: &Value) -> Value {
        self.op("Relu", &[a])
    }

    /// `a` where the ReLU with output `h` was active; 0 elsewhere.
    pub fn through_relu(&mut self, a: &Value, h: &Value) -> Value {
        let open = self.positive(h);
        self.mul(a, &open)
    }

    /// 1 where a > 0, else 0.
    pub fn positive(&mut self, a: &Value) -> Value {
        let zero = self.float(0.0);
        let is_positive = self.op("Greater", &[a, &zero]);
        self.cast(&is_positive, Kind::Float)
    }

    /// Cast to another element type.
    pub fn cast(&mut self, a: &Value, kind: Kind) -> Value {
        self.op_with("Cast", &[a], vec![int("to", kind as i64)])
    }

    /// Reshaped; a size of 0 keeps the old one, −1 takes the rest.
    pub fn reshape(&mut self, a: &Value, shape: &[i64]) -> Value {
        let shape = self.list(shape);
        self.op("Reshape", &[a, &shape])
    }

    /// With its axes in this order.
    pub fn transpose(&mut self, a: &Value, order: &[i64]) -> Value {
        self.op_with("Transpose", &[a], vec![ints("perm", order)])
    }

    /// With an additional axis of size 1.
    pub fn unsqueeze(&mut self, a: &Value, axis: i64) -> Value {
        let axis = self.list(&[axis]);
        self.op("Unsqueeze", &[a, &axis])
    }

    /// Without an axis of size 1.
    pub fn squeeze(&mut self, a: &Value, axis: i64) -> Value {
        let axis = self.list(&[axis]);
        self.op("Squeeze", &[a, &axis])
    }

    /// The sum over an axis, which stays.
    pub fn sum(&mut self, a: &Value, axis: i64) -> Value {
        let axis = self.list(&[axis]);
        self.op("ReduceSum", &[a, &axis])
    }

    /// Concatenated along an axis.
    pub fn concat(&mut self, parts: &[&Value], axis: i64) -> Value {
        self.op_with("Concat", parts, vec![int("axis", axis)])
    }

    /// The entries at `indices` along an axis, the same for all of the others.
    pub fn gather(&mut self, a: &Value, indices: &Value, axis: i64) -> Value {
        self.op_with("Gather", &[a, indices], vec![int("axis", axis)])
    }

    /// The entries at `indices` along an axis, for each of the others.
    pub fn gather_elements(&mut self, a: &Value, indices: &Value, axis: i64) -> Value {
        self.op_with("GatherElements", &[a, indices], vec![int("axis", axis)])
    }

    /// `yes` or `no`
    pub fn select(&mut self, condition: &Value, yes: &Value, no: &Value) -> Value {
        self.op("Where", &[condition, yes, no])
    }

    /// Between two numbers.
    pub fn clip(&mut self, a: &Value, low: f32, high: f32) -> Value {
        let (low, high) = (self.float(low), self.float(high));
        self.op("Clip", &[a, &low, &high])
    }

    /// The size of an axis, as a list of one.
    pub fn size(&mut self, a: &Value, axis: i64) -> Value {
        let attributes = vec![int("start", axis), int("end", axis + 1)];
        self.op_with("Shape", &[a], attributes)
    }

    /// Zeros of the same shape.
    pub fn zeros_like(&mut self, a: &Value) -> Value {
        let shape = self.op("Shape", &[a]);
        self.op("ConstantOfShape", &[&shape])
    }

    /// 0, 1, … up to the size of an axis, exclusive: whole numbers.
    pub fn range(&mut self, a: &Value, axis: i64) -> Value {
        let size = self.size(a, axis);
        let size = self.squeeze(&size, 0);
        let (zero, one) = (self.ints(&[], &[0]), self.ints(&[], &[1]));
        self.op("Range", &[&zero, &size, &one])
    }

    /// `values` added up at their indices: values, indices: [batch, n], sums of `like`'s shape
    pub fn scatter_sums(&mut self, values: &Value, indices: &Value, like: &Value) -> Value {
        let zeros = self.zeros_like(like);
        let attributes = vec![int("axis", 1), word("reduction", "add")];
        self.op_with("ScatterElements", &[&zeros, indices, values], attributes)
    }

    /// The rank of each number along the last axis, the largest being 0; among equal ones the first comes first.
    ///
    /// a: [.., n] → float [.., n]
    pub fn ranks(&mut self, a: &Value) -> Value {
        let shape = self.op("Shape", &[a]);
        let n = self.op_with("Shape", &[a], vec![int("start", -1)]);
        let [_, order] = self.ops("TopK", &[a, &n], vec![]);
        let n = self.squeeze(&n, 0);
        let (zero, one) = (self.ints(&[], &[0]), self.ints(&[], &[1]));
        let ranks = self.op("Range", &[&zero, &n, &one]);
        let ranks = self.cast(&ranks, Kind::Float);
        let ranks = self.op("Expand", &[&ranks, &shape]);
        let zeros = self.op("ConstantOfShape", &[&shape]);
        let attributes = vec![int("axis", -1)];
        self.op_with("ScatterElements", &[&zeros, &order, &ranks], attributes)
    }
}
