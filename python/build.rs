//! macOS must be told that CPython's symbols come at run time.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
