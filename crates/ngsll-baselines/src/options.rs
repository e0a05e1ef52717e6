//! Setters for option structs.

/// Defines a consuming setter for each named field. Option structs are `#[non_exhaustive]`, so other
/// crates build them with `Options::default().seed(7)`.
macro_rules! setters {
    ($options:ident { $($field:ident: $value:ty),+ $(,)? }) => {
        impl $options {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $value) -> Self {
                    self.$field = $field;
                    self
                }
            )+
        }
    };
}

pub(crate) use setters;
