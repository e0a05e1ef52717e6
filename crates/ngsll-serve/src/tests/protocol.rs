//! The Open Inference Protocol, with and without binary tensors.

use super::super::body::JSON_LENGTH;
use super::{Answer, get, images, models, post, send, server};
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use ngsll::Samples;
use serde_json::{Value, json};

/// Posts JSON with binary data behind it.
async fn binary(app: &Router, path: &str, json: &Value, data: &[u8]) -> Answer {
    let json = json.to_string();
    let request = Request::post(format!("/v2/models/{path}")).header(JSON_LENGTH, json.len());
    let body = [json.as_bytes(), data].concat();
    send(app, request.body(Body::from(body)).unwrap()).await
}

fn texts(list: &[&str]) -> Value {
    json!({ "name": "text", "shape": [list.len()], "datatype": "BYTES", "data": list })
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks::<8>().0.iter().map(|&b| f64::from_le_bytes(b)).collect()
}

#[tokio::test]
async fn the_server_and_its_models_say_what_they_are() {
    let app = server();
    let names = get(&app, "/v2/models").await.ok();
    assert_eq!(names, json!({ "models": ["digits", "houses", "kinds", "prices", "reviews"] }));
    let about = get(&app, "/v2").await.ok();
    assert_eq!(
        (&about["name"], &about["extensions"]),
        (&json!("ngsll"), &json!(["binary_tensor_data"]))
    );
    assert_eq!(get(&app, "/v2/health/live").await.ok(), json!({ "live": true }));
    assert_eq!(get(&app, "/v2/health/ready").await.ok(), json!({ "ready": true }));
    let ready = get(&app, "/v2/models/reviews/ready").await.ok();
    assert_eq!(ready, json!({ "name": "reviews", "ready": true }));
    let about = get(&app, "/v2/models/digits").await.ok();
    let image = json!([{ "name": "image", "datatype": "UINT8", "shape": [-1, 8, 8] }]);
    assert_eq!(
        (&about["name"], &about["platform"], &about["inputs"]),
        (&json!("digits"), &json!("ngsll"), &image)
    );
    assert_eq!(about["parameters"]["k"], 2);
    let about = get(&app, "/v2/models/kinds").await.ok();
    let outputs = json!([
        { "name": "label", "datatype": "BYTES", "shape": [-1] },
        { "name": "probabilities", "datatype": "FP64", "shape": [-1, 3] },
        { "name": "scores", "datatype": "FP64", "shape": [-1, 3] },
    ]);
    assert_eq!((&about["outputs"], &about["classes"]), (&outputs, &json!(["a", "b", "c"])));
}

#[tokio::test]
async fn inferred_tensors_are_the_model_s_predictions() {
    let app = server();
    let list = ["a good film", "a bad film"];
    let expected = models()["kinds"].explain(Samples::Texts(list.iter().collect())).unwrap();
    let request = json!({ "id": "q", "inputs": [texts(&list)] });
    let answer = post(&app, "kinds/infer", request.to_string()).await.ok();
    assert_eq!((&answer["model_name"], &answer["id"]), (&json!("kinds"), &json!("q")));
    let [label, probabilities, scores] = answer["outputs"].as_array().unwrap().as_slice() else {
        panic!("{answer}")
    };
    assert_eq!((&label["shape"], &probabilities["shape"]), (&json!([2]), &json!([2, 3])));
    let (mut labels, mut chances, mut sums) = (Vec::new(), Vec::new(), Vec::new());
    for explanation in &expected {
        let class = explanation.prediction.class().unwrap();
        labels.push(class.label().to_string());
        chances.extend(class.probabilities());
        sums.extend(explanation.outputs.iter().map(|o| o.score));
    }
    assert_eq!((&label["data"], &probabilities["data"]), (&json!(labels), &json!(chances)));
    assert_eq!((&scores["name"], &scores["data"]), (&json!("scores"), &json!(sums)));

    // The same, as binary data.
    let binary_output =
        json!({ "inputs": [texts(&list)], "parameters": { "binary_data_output": true } });
    let answer = post(&app, "kinds/infer", binary_output.to_string()).await;
    let length: usize = answer.headers[JSON_LENGTH].to_str().unwrap().parse().unwrap();
    let (json, data) = answer.bytes.split_at(length);
    let json: Value = serde_json::from_slice(json).unwrap();
    let sizes: Vec<usize> = json["outputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| o["parameters"]["binary_data_size"].as_u64().unwrap() as usize)
        .collect();
    assert!(json["outputs"][0].get("data").is_none());
    let (label, rest) = data.split_at(sizes[0]);
    let (chance, sum) = rest.split_at(sizes[1]);
    assert_eq!(
        label,
        [&[1, 0, 0, 0], labels[0].as_bytes(), &[1, 0, 0, 0], labels[1].as_bytes()].concat()
    );
    assert_eq!((numbers(chance), numbers(sum)), (chances, sums));
    assert_eq!(sum.len(), sizes[2]);
}

#[tokio::test]
async fn only_the_outputs_that_are_named_come_back_in_their_order() {
    let app = server();
    let outputs =
        json!([{ "name": "scores", "parameters": { "binary_data": false } }, { "name": "label" }]);
    let request = json!({ "inputs": [texts(&["a"])], "outputs": outputs });
    let answer = post(&app, "reviews/infer", request.to_string()).await.ok();
    let names: Vec<&Value> =
        answer["outputs"].as_array().unwrap().iter().map(|o| &o["name"]).collect();
    assert_eq!(names, ["scores", "label"]);
    for (outputs, part) in [
        (json!(vec![json!({ "name": "label" }); 4]), "named twice"),
        (json!([{ "name": "odds" }]), "its outputs are label, probabilities, scores"),
        (json!([{ "name": "label", "parameters": { "classification": 2 } }]), "classification"),
    ] {
        let request = json!({ "inputs": [texts(&["a"])], "outputs": outputs });
        post(&app, "reviews/infer", request.to_string()).await.refused(400, &[part]);
    }
}

#[tokio::test]
async fn binary_inputs_are_those_of_the_json() {
    let app = server();
    let drawn = images(3);
    let nested: Vec<Vec<&[u8]>> = (0..3).map(|i| drawn.get(i).chunks(8).collect()).collect();
    let input = json!({ "name": "image", "shape": [3, 8, 8], "datatype": "UINT8", "data": nested });
    let from_json = post(&app, "digits/infer", json!({ "inputs": [input] }).to_string()).await.ok();
    let size = json!({ "binary_data_size": drawn.pixels().len() });
    let input =
        json!({ "name": "image", "shape": [3, 1, 8, 8], "datatype": "UINT8", "parameters": size });
    let from_binary =
        binary(&app, "digits/infer", &json!({ "inputs": [input] }), drawn.pixels()).await.ok();
    assert_eq!(from_json, from_binary);

    let data =
        [&2.5_f32.to_le_bytes()[..], &(-1.0_f32).to_le_bytes(), &[3, 0, 0, 0], b"red", &[0; 4]]
            .concat();
    let tensor = |name: &str, datatype: &str, size: usize| {
        let parameters = json!({ "binary_data_size": size });
        json!({ "name": name, "shape": [2, 1], "datatype": datatype, "parameters": parameters })
    };
    let inputs = json!({ "inputs": [tensor("size", "FP32", 8), tensor("colour", "BYTES", 11)] });
    let from_binary = binary(&app, "houses/explain", &inputs, &data).await.ok();
    let rows = r#"{"row": [{"size": 2.5, "colour": "red"}, {"size": -1, "colour": null}]}"#;
    assert_eq!(from_binary, post(&app, "houses/explain", rows).await.ok());
}

#[tokio::test]
async fn explanations_take_the_same_inputs_and_parameters() {
    let app = server();
    let parameters = json!({ "k": 1, "classes": ["b"], "priority": 3 });
    let request = json!({ "inputs": [texts(&["a good film"])], "parameters": parameters });
    let answer = post(&app, "kinds/explain", request.to_string()).await.ok();
    let plain = r#"{"text": "a good film", "k": 1, "classes": ["b"]}"#;
    assert_eq!(answer, post(&app, "kinds/explain", plain).await.ok());
}

#[tokio::test]
async fn bad_tensors_are_refused_with_what_was_expected() {
    let app = server();
    let tensor = |name: &str, shape: Value, datatype: &str, data: Value| json!({ "name": name, "shape": shape, "datatype": datatype, "data": data });
    let zeros = vec![0; 64];
    let image = |shape: Value, data: Value| tensor("image", shape, "UINT8", data);
    for (model, inputs, parts) in [
        (
            "digits",
            vec![image(json!([1, 64]), json!(zeros))],
            &["[1, 64]", "expected [n, 8, 8]"][..],
        ),
        ("digits", vec![image(json!([]), json!(zeros))], &["[]", "expected [n, 8, 8]"]),
        ("digits", vec![image(json!([2, 8, 8]), json!(zeros))], &["does not fit its 64 elements"]),
        ("digits", vec![image(json!([u64::MAX, 8, 8]), json!(zeros))], &["does not fit"]),
        ("digits", vec![image(json!([-1, 8, 8]), json!(zeros))], &["-1"]),
        ("digits", vec![image(json!([0, 8, 8]), json!([]))], &["0 samples"]),
        ("digits", vec![image(json!([1, 8, 8]), json!([256]))], &["element 0", "from 0 to 255"]),
        ("digits", vec![image(json!([1, 8, 8]), json!([1.5]))], &["element 0", "from 0 to 255"]),
        (
            "digits",
            vec![tensor("image", json!([1, 8, 8]), "FP32", json!(zeros))],
            &["\"FP32\"", "expected UINT8"],
        ),
        (
            "digits",
            vec![tensor("picture", json!([1, 8, 8]), "UINT8", json!(zeros))],
            &["[picture]", "\"image\""],
        ),
        ("digits", vec![], &["expected one named \"image\""]),
        (
            "reviews",
            vec![tensor("text", json!([1]), "BYTES", json!([1]))],
            &["element 0 is not a text"],
        ),
        (
            "reviews",
            vec![tensor("text", json!([2]), "BYTES", json!(["a"]))],
            &["does not fit its 1 elements"],
        ),
        ("reviews", vec![texts(&["a"]), texts(&["b"])], &["given twice"]),
        (
            "reviews",
            vec![json!({ "name": "text", "shape": [1], "datatype": "BYTES" })],
            &["it has no data"],
        ),
        (
            "houses",
            vec![tensor("size", json!([1]), "FP64", json!([1]))],
            &["\"colour\" (a text) is not given"],
        ),
        ("houses", vec![tensor("place", json!([1]), "FP64", json!([1]))], &["no column \"place\""]),
        (
            "houses",
            vec![
                tensor("size", json!([1]), "FP64", json!(["1"])),
                tensor("colour", json!([1]), "BYTES", json!(["a"])),
            ],
            &["\"size\"", "not of the datatype \"FP64\""],
        ),
        (
            "houses",
            vec![
                tensor("size", json!([2]), "FP64", json!([1, 2])),
                tensor("colour", json!([1]), "BYTES", json!(["a"])),
            ],
            &["\"colour\" has 1 rows, but the first column has 2"],
        ),
    ] {
        let request = json!({ "inputs": inputs }).to_string();
        post(&app, &format!("{model}/infer"), request).await.refused(400, parts);
    }
}

#[tokio::test]
async fn bad_binary_data_are_refused_with_what_was_expected() {
    let app = server();
    let tensor = |name: &str, datatype: &str, size: usize| {
        let parameters = json!({ "binary_data_size": size });
        json!({ "name": name, "shape": [1], "datatype": datatype, "parameters": parameters })
    };
    let text = |size: usize| json!({ "inputs": [tensor("text", "BYTES", size)] });
    for (json, data, part) in [
        (text(9), &b"\x05\0\0\0abc"[..], "binary_data_size is 9, but 7 bytes are left"),
        (text(7), b"\x05\0\0\0abc", "element 0 is cut off"),
        (text(3), b"abc", "element 0 is cut off"),
        (text(5), b"\x01\0\0\0\xff", "element 0 is not UTF-8"),
        (text(5), b"\x01\0\0\0a left", "5 bytes of binary data belong to no input"),
        (text(usize::MAX), b"", "but 0 bytes are left"),
    ] {
        binary(&app, "reviews/infer", &json, data).await.refused(400, &[part]);
    }
    let colour = json!({ "name": "colour", "shape": [1], "datatype": "BYTES", "data": ["red"] });
    for (datatype, data, part) in [
        ("FP64", &f64::NAN.to_le_bytes()[..], "NaN is not a finite number"),
        ("FP32", &f32::INFINITY.to_le_bytes(), "inf is not a finite number"),
        ("FP64", &[0; 7], "not a multiple of 8"),
        ("FP16", &[0; 2], "\"FP16\", expected BYTES, BOOL, UINT8"),
    ] {
        let json = json!({ "inputs": [tensor("size", datatype, data.len()), colour] });
        binary(&app, "houses/infer", &json, data).await.refused(400, &[part]);
    }
    let request = Request::post("/v2/models/reviews/infer").header(JSON_LENGTH, "99");
    let answer = send(&app, request.body(Body::from("{}")).unwrap()).await;
    answer.refused(400, &["99", "the body has 2 bytes"]);
    let request = Request::post("/v2/models/reviews/infer").header(JSON_LENGTH, "-1");
    send(&app, request.body(Body::from("{}")).unwrap()).await.refused(400, &["\"-1\""]);
}
