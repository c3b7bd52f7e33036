//! Values as text: the way `encoding/json` and the way go-spew write them.

pub mod json;
pub mod spew;
