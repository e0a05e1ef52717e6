//! `/docs`: the interface as a page, written from the OpenAPI document.
//!
//! A page of plain HTML rather than Swagger UI or the like: it needs no script, so that its policy allows none, and
//! shows a command for each of the models.

use super::error::ApiError;
use super::openapi::document;
use super::state::State;
use axum::extract;
use axum::http::{HeaderMap, header};
use axum::response::{Html, IntoResponse};
use ngsll_view::escape;
use serde_json::Value;
use tokio::task::spawn_blocking;

const CSS: &str = include_str!("docs.css");

/// Allows only its own style and the icon.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The page.
pub async fn page(
    extract::State(state): extract::State<State>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, ApiError> {
    let page = spawn_blocking(move || html(&document(&state), host(&headers))).await?;
    Ok(([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(page)))
}

/// The host under which the reader opened this page, for the commands on it.
fn host(headers: &HeaderMap) -> &str {
    let given = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let plain = |c: char| c.is_ascii_alphanumeric() || ".:-[]".contains(c);
    given.filter(|host| host.chars().all(plain)).unwrap_or("127.0.0.1:8080")
}

fn html(document: &Value, host: &str) -> String {
    let info = &document["info"];
    let (title, about) = (text(&info["title"]), text(&info["description"]));
    let (version, mut sections, mut contents) =
        (text(&info["version"]), String::new(), String::new());
    for tag in list(&document["tags"]) {
        let name = text(&tag["name"]);
        sections += &format!("<h2>{name}</h2><p>{}</p>", text(&tag["description"]));
        let mut operations: Vec<_> = entries(&document["paths"])
            .flat_map(|(path, methods)| {
                entries(methods).map(move |(m, operation)| (m, path, operation))
            })
            .filter(|(_, _, operation)| list(&operation["tags"]).any(|t| text(t) == name))
            .collect();
        // Requests to a model come before those about it.
        operations.sort_by_key(|(method, _, _)| *method != "post");
        for (method, path, operation) in operations {
            let id = format!("{method}{}", path.replace(['/', '{', '}'], "-"));
            let (method, path) = (method.to_uppercase(), escape(path));
            contents +=
                &format!("<li><a href=\"#{id}\"><b>{method}</b> <code>{path}</code></a></li>");
            sections += &format!(
                "<article id=\"{id}\"><h3><b class=\"{method}\">{method}</b> <code>{path}</code></h3>\
                 <p><strong>{}.</strong> {}</p>{}{}{}</article>",
                text(&operation["summary"]),
                text(&operation["description"]),
                commands(document, &path, operation, host),
                body(document, operation),
                responses(document, operation),
            );
        }
    }
    let schemas: String = entries(&document["components"]["schemas"])
        .map(|(name, schema)| {
            let name = escape(name);
            format!(
                "<details id=\"{name}\"><summary><code>{name}</code></summary>{}</details>",
                json(schema)
            )
        })
        .collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}: HTTP interface</title>\n\
         <link rel=\"icon\" href=\"/page/assets/icon.svg\" type=\"image/svg+xml\">\n\
         <style>\n{CSS}</style>\n</head>\n<body>\n<header><h1>{title} <small>{version}</small></h1>\
         <p>{about} The document behind this page is <a href=\"/openapi.json\">/openapi.json</a>; \
         the page to try the models on is <a href=\"/\">/</a>.</p></header>\n\
         <nav aria-label=\"Addresses\"><ul>{contents}</ul></nav>\n<main>{sections}\
         <h2>Forms</h2><p>JSON schemas of what is sent and answered.</p>{schemas}</main>\n</body>\n</html>\n"
    )
}

/// A command for each model, or a single one if the path names none.
fn commands(document: &Value, path: &str, operation: &Value, host: &str) -> String {
    let examples = &operation["requestBody"]["content"]["application/json"]["examples"];
    let models = list(&document["components"]["parameters"]["name"]["schema"]["enum"]);
    let command = |path: &str, body: &str| {
        format!("<pre><code>curl 'http://{}{path}'{body}</code></pre>", escape(host))
    };
    if !path.contains("{name}") {
        return command(path, "");
    }
    models
        .map(|name| {
            let name = name.as_str().unwrap_or_default();
            let path = path.replace("{name}", &escape(&encode(name)));
            let body = match &examples[name]["value"] {
                Value::Null => String::new(),
                // A single quote would end the shell's quotes around it.
                value => {
                    format!(" \\\n  --json '{}'", escape(&value.to_string().replace('\'', "'\\''")))
                }
            };
            command(&path, &body)
        })
        .collect()
}

/// A model's name as part of an address.
fn encode(name: &str) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-._~".contains(b);
    name.bytes()
        .map(|b| if plain(&b) { char::from(b).into() } else { format!("%{b:02X}") })
        .collect()
}

/// The alternative forms of a body.
fn body(document: &Value, operation: &Value) -> String {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let form = |name: &str| {
        let about = text(&document["components"]["schemas"][name]["description"]);
        format!("<li>{} {about}</li>", link(name))
    };
    let forms: String = named(schema).map(form).collect();
    if forms.is_empty() { forms } else { format!("<h4>Body</h4><ul>{forms}</ul>") }
}

fn responses(document: &Value, operation: &Value) -> String {
    let line = |(status, response): (&String, &Value)| {
        let response = match reference(response) {
            Some(name) => &document["components"]["responses"][name],
            None => response,
        };
        let forms: Vec<String> =
            named(&response["content"]["application/json"]["schema"]).map(link).collect();
        let (about, forms) = (text(&response["description"]), forms.join(" or "));
        format!("<li><b>{status}</b> {about} {forms}</li>")
    };
    let lines: String = entries(&operation["responses"]).map(line).collect();
    format!("<h4>Answers</h4><ul>{lines}</ul>")
}

/// The names of the forms that a schema refers to.
fn named(schema: &Value) -> impl Iterator<Item = &str> {
    std::iter::once(schema).chain(list(&schema["anyOf"])).filter_map(reference)
}

fn reference(value: &Value) -> Option<&str> {
    value["$ref"].as_str()?.rsplit('/').next()
}

fn link(name: &str) -> String {
    let name = escape(name);
    format!("<a href=\"#{name}\"><code>{name}</code></a>")
}

fn json(value: &Value) -> String {
    format!("<pre><code>{}</code></pre>", escape(&format!("{value:#}")))
}

fn text(value: &Value) -> String {
    escape(value.as_str().unwrap_or_default())
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
