//! Hints in the name of a column.

/// Last words of the names of ids.
const IDS: [&str; 11] =
    ["id", "ids", "uuid", "guid", "key", "index", "idx", "nr", "no", "number", "rownames"];

/// Ids that are written as one word; other words end in "id", too.
const IDS_IN_ONE_WORD: [&str; 10] = [
    "userid",
    "customerid",
    "patientid",
    "orderid",
    "passengerid",
    "recordid",
    "rowid",
    "sampleid",
    "objectid",
    "uid",
];

/// Words for quantities and for time: such a column may hold every value once and is not an id.
const QUANTITIES: [&str; 38] = [
    "age",
    "amount",
    "area",
    "cost",
    "count",
    "date",
    "day",
    "days",
    "depth",
    "distance",
    "dose",
    "height",
    "hour",
    "hours",
    "income",
    "length",
    "minute",
    "month",
    "population",
    "position",
    "price",
    "rank",
    "salary",
    "second",
    "seconds",
    "size",
    "step",
    "t",
    "temperature",
    "time",
    "timestamp",
    "total",
    "week",
    "weight",
    "width",
    "x",
    "y",
    "year",
];

/// Words for columns whose numbers can only be codes.
const CODES: [&str; 30] = [
    "branch",
    "brand",
    "category",
    "channel",
    "city",
    "code",
    "colour",
    "color",
    "country",
    "department",
    "dept",
    "district",
    "gender",
    "group",
    "id",
    "kind",
    "method",
    "occupation",
    "plz",
    "postcode",
    "product",
    "race",
    "region",
    "sex",
    "state",
    "status",
    "store",
    "type",
    "zip",
    "zipcode",
];

/// The words of a name in lower case: "CustomerID" and "customer_id" have two.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || (before.is_lowercase() && c.is_uppercase());
        if begins {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("there is one").extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether the name is one that ids have.
pub(crate) fn names_an_id(name: &str) -> bool {
    let words = words(name);
    // Tables that were written with their row numbers.
    let unnamed = words.first().is_some_and(|first| first == "unnamed") || words.is_empty();
    let last = words.last().is_some_and(|last| IDS.contains(&last.as_str()));
    unnamed || last || words.iter().any(|word| IDS_IN_ONE_WORD.contains(&word.as_str()))
}

/// Whether the name is one that quantities have.
pub(super) fn names_a_quantity(name: &str) -> bool {
    words(name).iter().any(|word| QUANTITIES.contains(&word.as_str()))
}

/// Whether the name is one that codes of categories have.
pub(super) fn names_a_code(name: &str) -> bool {
    words(name).last().is_some_and(|last| CODES.contains(&last.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_word_by_word() {
        assert_eq!(words("CustomerID"), ["customer", "id"]);
        assert_eq!(words("  zip_code.2"), ["zip", "code", "2"]);
        for id in ["id", "ID", "PassengerId", "order no", "Unnamed: 0", "userid", "", "row_number"]
        {
            assert!(names_an_id(id), "{id}");
        }
        for other in ["acid", "paid", "grid", "carat", "age", "identity", "nobody"] {
            assert!(!names_an_id(other), "{other}");
        }
        assert!(names_a_code("zip code") && names_a_code("Store") && !names_a_code("storeys"));
        assert!(names_a_quantity("birth year") && !names_a_quantity("region"));
    }
}
