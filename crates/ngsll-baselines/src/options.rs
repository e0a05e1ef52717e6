//! Setters for option structs.

/// Defines a consuming setter for each named field. The fields of option structs are private, so other
/// crates build them with `Options::default().seed(7)`, and what takes them checks them first.
macro_rules! setters {
    ($options:ident { $($field:ident: $value:ty),+ $(,)? }) => {
        impl $options {
            $(
                #[doc = concat!("Sets `", stringify!($field), "`; the table above says what it is.")]
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
