//! Recorded frames of version 1, and malformed frames.

use super::*;
use crate::report::{EntryKind, State};
use downbeat_model::terminal::Frame;
use proptest::prelude::*;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex
        .chars()
        .filter_map(|c| c.to_digit(16))
        .map(|d| d as u8)
        .collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Frames of version 1 as recorded. Never change these: keepers that speak it may still run.
#[test]
fn requests_of_version_1_are_decoded_and_encoded_as_recorded() {
    let recorded = [
        (
            "00000004 01 0001 00",
            Request::Hello {
                version: 1,
                role: Role::Control,
            },
        ),
        (
            "00000004 01 0001 02",
            Request::Hello {
                version: 1,
                role: Role::Hook,
            },
        ),
        (
            "0000000e 02 01 0050 0018 ffffffffffffffff",
            Request::Attach {
                size: Some((80, 24)),
                from: u64::MAX,
                lines: None,
            },
        ),
        (
            "0000000e 02 00 0000 0000 0000000000000007",
            Request::Attach {
                size: None,
                from: 7,
                lines: None,
            },
        ),
        (
            "00000012 02 00 0000 0000 0000000000000007 000003e8",
            Request::Attach {
                size: None,
                from: 7,
                lines: Some(1000),
            },
        ),
        ("00000003 03 6869", Request::Input(b"hi".to_vec())),
        ("00000005 04 0064 001e", Request::Resize { cols: 100, rows: 30 }),
        ("00000009 05 0000000000000005", Request::Drawn { seq: 5 }),
        (
            "0000000d 06 00000007 0000000000001388",
            Request::Kill { id: 7, grace: 5000 },
        ),
        ("00000003 07 7b7d", Request::Hook(b"{}".to_vec())),
        (
            "0000000d 0d 00000000000f4240 00000007",
            Request::Mark(Postmark::of("1000000-7").unwrap()),
        ),
        (
            "00000009 08 00000001 00000064",
            Request::Text { id: 1, lines: 100 },
        ),
        (
            "00000009 09 00000001 00000002",
            Request::Run {
                id: 1,
                first: 2,
                steps: None,
            },
        ),
        (
            "0000000d 0a 00000002 0000000000000009",
            Request::Stored { id: 2, seq: 9 },
        ),
        ("00000005 0b 00000003", Request::Close { id: 3 }),
        (
            "00000007 0c 00000004 6869",
            Request::Type {
                id: 4,
                bytes: b"hi".to_vec(),
            },
        ),
        ("00000001 0e", Request::ScreenFirst),
    ];
    for (hex, request) in recorded {
        let recorded = bytes(hex);
        assert_eq!(request.encode(), recorded, "{hex}");
        let (kind, body) = read_frame(&mut recorded.as_slice()).unwrap().unwrap();
        assert_eq!(Request::decode(kind, body), Ok(Some(request)), "{hex}");
    }
    assert_eq!(
        Request::decode(200, vec![1]),
        Ok(None),
        "unknown kinds are skipped"
    );
    assert_eq!(Request::decode(4, vec![1]), Err(Malformed));
}

#[test]
fn answers_of_version_1_are_decoded_and_encoded_as_recorded() {
    let exit = Frame::Exit { seq: 2, code: 7 }.encode();
    let output = Frame::Output {
        seq: 1,
        data: b"x".to_vec(),
    }
    .encode();
    let recorded = [
        ("0000000b 02 01 0000000000000001 78", Answer::Terminal(output)),
        ("0000000e 02 03 0000000000000002 00000007", Answer::Terminal(exit)),
        (
            "00000011 04 0000000000000003 0000000000000000",
            Answer::Output {
                seq: 3,
                at: Timestamp::UNIX_EPOCH,
            },
        ),
        ("00000003 05 6869", Answer::Title("hi".into())),
        (
            "00000006 06 00000001 01",
            Answer::Reply {
                id: 1,
                result: Ok(Vec::new()),
            },
        ),
        (
            "00000008 06 00000001 00 6e6f",
            Answer::Reply {
                id: 1,
                result: Err("no".into()),
            },
        ),
        ("00000001 07", Answer::Posted),
    ];
    for (hex, answer) in recorded {
        let recorded = bytes(hex);
        assert_eq!(answer.encode(), recorded, "{hex}");
        let (kind, body) = read_frame(&mut recorded.as_slice()).unwrap().unwrap();
        assert_eq!(Answer::decode(kind, body), Ok(Some(answer)), "{hex}");
    }
    let hello = br#"{"id":"s000000000000","version":"0.1.0","protocol":1,"pid":5,"child":null,"step":0,"state":{"type":"ended","code":7,"signal":null},"seq":9,"cols":80,"rows":24,"title":"t","later":1}"#;
    let Ok(Some(Answer::Hello(hello))) = Answer::decode(1, hello.to_vec()) else {
        panic!("greeting")
    };
    assert_eq!(
        (hello.state, hello.seq),
        (
            State::Ended {
                code: Some(7),
                signal: None
            },
            9
        )
    );
    let entry = br#"{"seq":1,"at":"1970-01-01T00:00:00Z","output_seq":4,"what":{"type":"hook","body":"{}"}}"#;
    let Ok(Some(Answer::Entry(entry))) = Answer::decode(3, entry.to_vec()) else {
        panic!("entry")
    };
    assert_eq!(entry.what, EntryKind::Hook { body: "{}".into() });
    let later = br#"{"seq":1,"at":"1970-01-01T00:00:00Z","output_seq":4,"what":{"type":"of_later"}}"#;
    assert_eq!(Answer::decode(3, later.to_vec()), Ok(None));
}

#[test]
fn a_frame_that_is_too_long_is_refused() {
    assert!(read_frame(&mut &[0xff, 0xff, 0xff, 0xff, 1][..]).is_err());
    assert!(read_frame(&mut &[0, 0, 0, 0][..]).is_err());
}

/// Generates a frame of any kind, with a body that may fit the kind.
fn any_frame() -> impl Strategy<Value = Vec<u8>> {
    let body = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..40),
        "[\\[{][\\PC\"]{0,40}".prop_map(String::into_bytes),
        Just(br#"[{"name":"s","argv":[],"env":[],"cwd":"/"}]"#.to_vec()),
    ];
    (0_u8..16, body).prop_map(|(kind, body)| frame(kind, &[&body]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_encoded_frame_decodes_to_the_same_value(bytes in any_frame()) {
        let (kind, body) = read_frame(&mut bytes.as_slice()).unwrap().unwrap();
        if let Ok(Some(request)) = Request::decode(kind, body.clone()) {
            let (kind, body) = read_frame(&mut request.encode().as_slice()).unwrap().unwrap();
            prop_assert_eq!(Request::decode(kind, body), Ok(Some(request)));
        }
        if let Ok(Some(answer)) = Answer::decode(kind, body) {
            let (kind, body) = read_frame(&mut answer.encode().as_slice()).unwrap().unwrap();
            prop_assert_eq!(Answer::decode(kind, body), Ok(Some(answer)));
        }
    }

    #[test]
    fn reading_ends_at_bytes_that_are_not_frames(
        frames in proptest::collection::vec(any_frame(), 0..4),
        junk in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let bytes = [frames.concat(), junk].concat();
        let mut rest = bytes.as_slice();
        let mut read = 0;
        while let Ok(Some((kind, body))) = read_frame(&mut rest) {
            drop(Request::decode(kind, body.clone()));
            drop(Answer::decode(kind, body));
            read += 1;
        }
        prop_assert!(read >= frames.len());
    }

    #[test]
    fn a_truncated_frame_is_not_read(bytes in any_frame(), cut in 0_usize..60) {
        let cut = cut.min(bytes.len() - 1);
        prop_assert!(!matches!(read_frame(&mut &bytes[..cut]), Ok(Some(_))));
    }
}

#[test]
fn each_role_may_send_only_its_own_requests() {
    let all = [
        Request::Attach {
            size: None,
            from: 0,
            lines: None,
        },
        Request::Input(Vec::new()),
        Request::Resize { cols: 1, rows: 1 },
        Request::Drawn { seq: 0 },
        Request::ScreenFirst,
        Request::Mark(Postmark::now()),
        Request::Hook(Vec::new()),
        Request::Kill { id: 1, grace: 0 },
        Request::Text { id: 1, lines: 1 },
        Request::Run {
            id: 1,
            first: 0,
            steps: None,
        },
        Request::Stored { id: 1, seq: 1 },
        Request::Close { id: 1 },
        Request::Type {
            id: 1,
            bytes: Vec::new(),
        },
    ];
    let may = |role: Role| all.iter().map(|request| role.may(request)).collect::<Vec<_>>();
    assert_eq!(may(Role::Control), [true; 13]);
    assert_eq!(may(Role::Viewer), [[true; 5].as_slice(), &[false; 8]].concat());
    assert_eq!(
        may(Role::Hook),
        [[false; 5].as_slice(), &[true; 2], &[false; 6]].concat()
    );
    // The length is refused before anything else of the frame is read.
    for role in [Role::Viewer, Role::Hook] {
        let head = (role.most() as u32 + 1).to_be_bytes();
        assert!(read_frame_of(&mut head.as_slice(), role.most()).is_err());
    }
}
