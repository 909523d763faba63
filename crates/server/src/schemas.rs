//! The JSON schemas of the table, generated once, and the type that a field in a query must have.

use downbeat_wire::{OPERATIONS, Operation};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// The path of shared schemas in OpenAPI.
pub(crate) const PLACE: &str = "#/components/schemas/";

/// The schemas of all operations.
pub(crate) struct Schemas {
    /// The request and response of each row, in the order of the table.
    pub(crate) rows: Vec<(Schema, Schema)>,
    /// The shared schemas that the rows refer to.
    pub(crate) shared: Map<String, Value>,
}

/// The type of a field in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Text,
    Number,
    Flag,
    List,
}

static SCHEMAS: LazyLock<Schemas> = LazyLock::new(|| {
    let settings = SchemaSettings::draft2020_12().with(|s| s.definitions_path = "/components/schemas".into());
    let mut generator = SchemaGenerator::new(settings);
    let rows = OPERATIONS
        .iter()
        .map(|row| ((row.request)(&mut generator), (row.response)(&mut generator)))
        .collect();
    // Streams and errors are not rows, but are described with them.
    generator.subschema_for::<downbeat_wire::ApiError>();
    generator.subschema_for::<downbeat_wire::event::StreamItem>();
    Schemas {
        rows,
        shared: generator.take_definitions(true),
    }
});

impl Schemas {
    pub(crate) fn get() -> &'static Self {
        &SCHEMAS
    }

    /// Returns the fields of the request of `row`, with their schemas.
    pub(crate) fn fields(&self, row: &Operation) -> Option<&Map<String, Value>> {
        let at = OPERATIONS.iter().position(|other| other.name == row.name)?;
        let request = self.rows.get(at)?.0.as_value();
        self.resolve(request).get("properties")?.as_object()
    }

    /// Returns the type of the field `name` in the request of `row`. Unknown fields are text, and are refused
    /// by the request's own type.
    pub(crate) fn shape(&self, row: &Operation, name: &str) -> Shape {
        let field = self.fields(row).and_then(|fields| fields.get(name));
        field.map_or(Shape::Text, |schema| self.shape_of(schema))
    }

    fn shape_of(&self, schema: &Value) -> Shape {
        let schema = self.resolve(schema);
        let choices = schema.get("anyOf").and_then(Value::as_array);
        if let Some(choice) = choices.and_then(|all| all.iter().find(|s| s["type"] != "null")) {
            return self.shape_of(choice);
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null"),
            kind => Some(kind),
        };
        match kind.and_then(Value::as_str) {
            Some("integer" | "number") => Shape::Number,
            Some("boolean") => Shape::Flag,
            Some("array") => Shape::List,
            _ => Shape::Text,
        }
    }

    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let name = schema.get("$ref").and_then(Value::as_str);
        let shared = name.and_then(|name| self.shared.get(name.strip_prefix(PLACE)?));
        shared.unwrap_or(schema)
    }
}
