//! What a quantity promises. Every expected value was printed by the real Go code: 1.1.8 and 1.2.7
//! built by go1.4.3, 1.3.10 by go1.6.2, and `k8s.io/apimachinery` v0.37.0 by go1.26, which agreed
//! with 1.3.10, 1.5.8, 1.7.5, 1.9.11, 1.14.10, v0.16.15, v0.18.19 and v0.30.14.

use std::cmp::Ordering;

use super::*;

fn quantity(text: &str) -> Quantity {
    Quantity::parse(text, Flavour::V1_3).unwrap()
}

/// The fields, as a dump would list them: `500/-3 "500m" DecimalSI`, `[1 2]e-9 "" BinarySI`.
fn fields(q: &Quantity) -> String {
    let number = match q.decimal() {
        None => format!("{}/{}", q.fixed().0, q.fixed().1),
        Some(d) => {
            let sign = if d.is_negative() { "-" } else { "" };
            let words = d
                .words()
                .map_or("nil".to_owned(), |words| format!("{words:?}"));
            format!("{sign}{words}e{}", -i64::from(d.scale()))
        }
    };
    format!("{number} {:?} {}", q.text(), q.format().as_str())
}

#[test]
fn each_release_has_its_flavour() {
    let flavours: Vec<_> = [(1, 8), (2, 0), (2, 7), (3, 0), (15, 12), (37, 0)]
        .map(|(minor, patch)| Flavour::of(Release::new(minor, patch)))
        .into();
    use Flavour::*;
    assert_eq!(flavours, [V1_1, V1_2, V1_2, V1_3, V1_3, V1_3]);
}

#[test]
fn parsing_since_1_3() {
    const CASES: &[(&str, &str, &str)] = &[
        // (text, fields, String)
        ("0", r#"0/0 "0" DecimalSI"#, "0"),
        ("5", r#"5/0 "5" DecimalSI"#, "5"),
        ("500m", r#"500/-3 "500m" DecimalSI"#, "500m"),
        ("1000m", r#"1000/-3 "" DecimalSI"#, "1"),
        // Sign and padding are part of what is kept.
        ("+5", r#"5/0 "+5" DecimalSI"#, "+5"),
        ("05", r#"5/0 "05" DecimalSI"#, "05"),
        ("-5", r#"-5/0 "-5" DecimalSI"#, "-5"),
        ("0.5", r#"5/-1 "" DecimalSI"#, "500m"),
        ("0.15", r#"15/-2 "" DecimalSI"#, "150m"),
        ("1.500", r#"1500/-3 "1.500" DecimalSI"#, "1.500"),
        ("1e3", r#"1/3 "1e3" DecimalExponent"#, "1e3"),
        ("12E6", r#"12/6 "12E6" DecimalExponent"#, "12E6"),
        ("1E", r#"1/18 "1E" DecimalSI"#, "1E"),
        // Even numbers of Ki are not trusted to be canonical, odd ones are.
        ("1Ki", r#"1024/0 "1Ki" BinarySI"#, "1Ki"),
        ("1536Mi", r#"1610612736/0 "" BinarySI"#, "1536Mi"),
        ("1.5Gi", r#"[1610612736000000000]e-9 "" BinarySI"#, "1536Mi"),
        (
            "0.1Gi",
            r#"[107374182400000000]e-9 "" BinarySI"#,
            "107374182400m",
        ),
        // Binary becomes decimal below one, and is capped; decimal is not.
        ("0.0001Ki", r#"[102400000]e-9 "" DecimalSI"#, "102400u"),
        (
            "8Ei",
            r#"[9223372036854775807]e0 "" BinarySI"#,
            "9223372036854775807",
        ),
        (
            "-8Ei",
            r#"-[9223372036854775807]e0 "" BinarySI"#,
            "-9223372036854775807",
        ),
        (
            "1000000000000000000000",
            r#"[5076944270305263616, 54210108624]e-9 "" DecimalSI"#,
            "1",
        ),
        ("1000E", r#"1000/18 "" DecimalSI"#, "1"),
        // Finer than nano is rounded up, away from zero.
        ("0.0000000001", r#"[1]e-9 "" DecimalSI"#, "1n"),
        ("-0.0000000001", r#"-[1]e-9 "" DecimalSI"#, "-1n"),
        ("1e-1000000", r#"[1]e-9 "" DecimalExponent"#, "1e-9"),
        // Exponents are cut to 32 bits.
        (
            "1e4294967296",
            r#"1/0 "1e4294967296" DecimalExponent"#,
            "1e4294967296",
        ),
        ("1e1000000", r#"1/1000000 "" DecimalExponent"#, "10e999999"),
        // Zeros in many forms.
        ("-", r#"0/0 "" DecimalSI"#, "0"),
        (".", r#"0/0 "" DecimalSI"#, "0"),
        ("m", r#"0/-3 "" DecimalSI"#, "0"),
        ("Ki", r#"0/0 "" BinarySI"#, "0"),
        ("0.00000000000", r#"nile-11 "" DecimalSI"#, "0"),
        ("0e-5000", r#"nile-5000 "" DecimalExponent"#, "0"),
    ];
    for (text, expected, string) in CASES {
        let q = quantity(text);
        assert_eq!(
            (fields(&q).as_str(), &*q.string()),
            (*expected, *string),
            "{text}"
        );
    }
}

#[test]
fn parsing_before_1_3() {
    const CASES: &[(&str, &str, &str)] = &[
        // (text, 1.1, 1.2)
        (
            "5",
            r#"[5000]e-3 "" DecimalSI"#,
            r#"[5000000000]e-9 "" DecimalSI"#,
        ),
        (
            "500m",
            r#"[500]e-3 "" DecimalSI"#,
            r#"[500000000]e-9 "" DecimalSI"#,
        ),
        (
            "0.0001",
            r#"[1]e-3 "" DecimalSI"#,
            r#"[100000]e-9 "" DecimalSI"#,
        ),
        (
            "1.5Gi",
            r#"[1610612736000]e-3 "" BinarySI"#,
            r#"[1610612736000000000]e-9 "" BinarySI"#,
        ),
        // Decimal amounts are capped too, and the cap has a scale of its own.
        (
            "10E",
            r#"[9223372036854775807]e0 "" DecimalSI"#,
            r#"[9223372036854775807]e0 "" DecimalSI"#,
        ),
        ("0.0", r#"nile-1 "" DecimalSI"#, r#"nile-1 "" DecimalSI"#),
    ];
    for (text, old, new) in CASES {
        for (flavour, expected) in [(Flavour::V1_1, old), (Flavour::V1_2, new)] {
            let q = Quantity::parse(text, flavour).unwrap();
            assert_eq!(fields(&q), *expected, "{text} {flavour:?}");
        }
    }
}

#[test]
fn refusals_are_gos() {
    use QuantityError::*;
    let wrong = |flavour| FormatWrong(flavour);
    let all = [Flavour::V1_1, Flavour::V1_2, Flavour::V1_3];
    let cases: &[(&str, [Option<QuantityError>; 3])] = &[
        ("", all.map(|f| Some(wrong(f)))),
        ("five", all.map(|f| Some(wrong(f)))),
        ("1 Gi", all.map(|f| Some(wrong(f)))),
        ("1_000", all.map(|f| Some(wrong(f)))),
        ("1e", all.map(|_| Some(Suffix))),
        (
            "1KI",
            [
                Some(wrong(Flavour::V1_1)),
                Some(wrong(Flavour::V1_2)),
                Some(wrong(Flavour::V1_3)),
            ],
        ),
        ("1mi", all.map(|_| Some(Suffix))),
        ("1e99999999999999999999", all.map(|_| Some(Suffix))),
        (
            "1.2.3",
            [Some(Numeric), Some(Numeric), Some(wrong(Flavour::V1_3))],
        ),
        (".", [Some(Numeric), Some(Numeric), None]),
        (
            "-",
            [Some(wrong(Flavour::V1_1)), Some(wrong(Flavour::V1_2)), None],
        ),
        ("1n", [Some(wrong(Flavour::V1_1)), None, None]),
        (
            "e-100",
            [
                Some(wrong(Flavour::V1_1)),
                Some(wrong(Flavour::V1_2)),
                Some(Numeric),
            ],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(
            all.map(|f| Quantity::parse(text, f).err()),
            *expected,
            "{text}"
        );
    }
    assert_eq!(
        wrong(Flavour::V1_1).to_string(),
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEimkKMGTP]*[-+]?[0-9]*)$'"
    );
    assert_eq!(
        wrong(Flavour::V1_3).to_string(),
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    );
}

#[test]
fn json_tokens() {
    let json = |raw| Quantity::unmarshal_json(raw, Flavour::V1_3).map(|q| fields(&q));
    let five = Ok(r#"5/0 "5" DecimalSI"#.to_owned());
    assert_eq!(
        [json("5"), json("\"5\""), json("\" 5\t\"")],
        [five.clone(), five.clone(), five]
    );
    assert_eq!(json("1e3").unwrap(), r#"1/3 "1e3" DecimalExponent"#);
    // Escapes are not undone: the type is handed the bytes of the document.
    let wrong = QuantityError::FormatWrong(Flavour::V1_3);
    for raw in [r#""\u0035""#, r#""""#, "true", "{}", "\"\"5\"\""] {
        assert_eq!(json(raw), Err(wrong), "{raw}");
    }
    assert_eq!(json("null").unwrap(), r#"0/0 "" "#);
    assert!(Quantity::unmarshal_json("null", Flavour::V1_2).is_err());
    // Up to 1.2 any number of quotes is taken off.
    assert!(Quantity::unmarshal_json("\"\"5\"\"", Flavour::V1_2).is_ok());
}

#[test]
fn null_over_a_quantity_leaves_text_and_format() {
    let mut q = quantity("500m");
    q.unmarshal_json_over("null", Flavour::V1_3).unwrap();
    assert_eq!(fields(&q), r#"0/0 "500m" DecimalSI"#);
}

#[test]
fn string_is_remembered_and_marshal_json_is_not() {
    let mut q = quantity("0.15");
    let mut json = Vec::new();
    q.marshal_json(&mut json);
    assert_eq!((json.as_slice(), q.text()), (&b"\"150m\""[..], ""));
    assert_eq!(q.string_remembered(), "150m");
    assert_eq!(fields(&q), r#"15/-2 "150m" DecimalSI"#);
}

#[test]
fn protobuf_turns_equal_amounts_into_one_form() {
    for (text, expected) in [
        ("0.15", r#"150/-3 "150m" DecimalSI"#),
        ("1.5Gi", r#"1610612736/0 "" BinarySI"#),
        ("1000m", r#"1/0 "1" DecimalSI"#),
        // The suffix is lost, and so is the amount.
        ("1000E", r#"1/0 "1" DecimalSI"#),
    ] {
        let stored = quantity(text).protobuf_round_trip(Flavour::V1_3).unwrap();
        assert_eq!(fields(&stored), expected, "{text}");
    }
    let absent = Quantity::default()
        .protobuf_round_trip(Flavour::V1_3)
        .unwrap();
    assert_eq!(fields(&absent), r#"0/0 "0" DecimalSI"#);
}

#[test]
fn rounding_up_to_milli() {
    for (text, expected) in [
        ("500m", r#"500/-3 "500m" DecimalSI"#),
        ("0.15", r#"15/-2 "" DecimalSI"#),
        ("100u", r#"1/-3 "" DecimalSI"#),
        ("-100u", r#"-1/-3 "" DecimalSI"#),
        ("1.5Gi", r#"[1610612736000]e-3 "" BinarySI"#),
        ("0e-5000", r#"nile-3 "" DecimalExponent"#),
    ] {
        let mut q = quantity(text);
        q.round_up_to_milli(Flavour::V1_3).unwrap();
        assert_eq!(fields(&q), expected, "{text}");
    }
    let mut q = Quantity::parse("5", Flavour::V1_2).unwrap();
    q.round_up_to_milli(Flavour::V1_2).unwrap();
    assert_eq!(fields(&q), r#"[5000]e-3 "" DecimalSI"#);
}

#[test]
fn comparing_may_change_the_receiver() {
    let big = quantity("1.5Gi");
    let mut q = quantity("10E");
    assert_eq!(q.compare(&big), Ordering::Greater);
    assert_eq!(fields(&q), r#"[10]e18 "10E" DecimalSI"#);

    let mut q = quantity("1536Mi");
    assert_eq!(q.compare(&quantity("2Gi")), Ordering::Less);
    assert_eq!(fields(&q), r#"1610612736/0 "" BinarySI"#);
    assert!(q.same_amount(&big) && q != big);
}

#[test]
fn adding() {
    for (a, b, sum) in [
        ("1", "500m", r#"1500/-3 "" DecimalSI"#),
        ("0", "1Ki", r#"1024/0 "" BinarySI"#),
        ("1e3", "1", r#"1001/0 "" DecimalExponent"#),
        ("9E", "9E", r#"18/18 "" DecimalSI"#),
        ("1536Mi", "1.5Gi", r#"[3221225472000000000]e-9 "" BinarySI"#),
        // What cancels out leaves an empty slice of words, not a nil one.
        ("1.5Gi", "-1.5Gi", r#"[]e-9 "" BinarySI"#),
    ] {
        let mut q = quantity(a);
        q.add(&quantity(b)).unwrap();
        assert_eq!(fields(&q), sum, "{a} + {b}");
        let copy = q.deep_copy(Flavour::V1_3);
        assert_eq!(fields(&copy), sum.replace("[]", "nil"));
    }
}

#[test]
fn copying_keeps_the_text_and_fills_a_nil_amount_before_1_3() {
    assert_eq!(quantity("500m").deep_copy(Flavour::V1_3), quantity("500m"));
    let copy = Quantity::default().deep_copy(Flavour::V1_2);
    assert_eq!(fields(&copy), r#"nile0 "" "#);
}

#[test]
fn hostile_sizes_are_errors_or_cheap() {
    let too_long = Err(QuantityError::TooLong);
    let parse = |text: &str| Quantity::parse(text, Flavour::V1_3);
    for text in [
        "12345678901234567890e1000000",
        "1234567890123456789e2147483647",
    ] {
        assert_eq!(parse(text), too_long, "{text}");
    }
    assert_eq!(parse(&"9".repeat(MAX_DIGITS as usize + 1)), too_long);
    assert_eq!(Quantity::parse("1e2000000000", Flavour::V1_2), too_long);

    // As Go: many digits are fine, as are zeros and fractions too small to matter.
    assert_eq!(parse(&"9".repeat(10_000)).unwrap().string().len(), 10_000);
    assert_eq!(
        parse(&format!("{}5", "0".repeat(1_000_000)))
            .unwrap()
            .fixed(),
        (5, 0)
    );
    assert_eq!(
        parse(&format!("0.{}1", "0".repeat(1_000_000)))
            .unwrap()
            .string(),
        "1n"
    );

    // Far apart, but comparable without writing either out.
    let (mut far, one) = (quantity("1e2147483646"), quantity("1"));
    assert_eq!(far.compare(&one), Ordering::Greater);
    assert_eq!(quantity("1.5Gi").add(&far), Err(QuantityError::TooLong));
    assert_eq!(
        quantity("-1e2147483646").compare(&quantity("1.5Gi")),
        Ordering::Less
    );
}

#[test]
fn words_are_64_bits_least_first() {
    let number = "-36893488147419103233".parse().unwrap();
    assert_eq!(go_words(&number), (true, vec![1, 2]));
}

#[test]
fn a_quantity_is_small() {
    assert!(size_of::<Quantity>() <= 40);
}
