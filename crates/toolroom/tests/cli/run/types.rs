//! What a text on the command line becomes: by a parameter's type, its default, or neither.

use serde_json::json;

use super::{machine, result};

#[test]
fn a_parameter_that_may_be_none_takes_the_flags_of_its_type() {
    let context = machine();
    context.tool(
        "o.py",
        "from datetime import timedelta\nfrom typing import List, Literal, Optional, Union\n\ndef main(ids: Optional[List[int]] = None, f: Optional[bool] = None, names: Optional[List[str]] = None,\n         pick: Optional[Literal[1, 2]] = None, td: Optional[timedelta] = None, either: Union[int, List[int]] = 0):\n    return [ids, f, names, pick, td and td.total_seconds(), either]\n",
    );
    let cases = [
        (
            &["--ids", "1", "--ids", "2"][..],
            json!([[1, 2], null, null, null, null, 0]),
        ),
        (&["--ids", "1"], json!([[1], null, null, null, null, 0])),
        (
            &["--ids", "[1, 2]"],
            json!([[1, 2], null, null, null, null, 0]),
        ),
        (
            &["--ids", "null", "--f"],
            json!([null, true, null, null, null, 0]),
        ),
        (&["--no-f"], json!([null, false, null, null, null, 0])),
        (&["--f", "no"], json!([null, false, null, null, null, 0])),
        (&["--names", "1"], json!([null, null, ["1"], null, null, 0])),
        (&["--pick", "2"], json!([null, null, null, 2, null, 0])),
        (&["--td", "3"], json!([null, null, null, null, 3.0, 0])),
        (&["--either", "3"], json!([null, null, null, null, null, 3])),
        (
            &["--either", "3", "--either", "4"],
            json!([null, null, null, null, null, [3, 4]]),
        ),
    ];
    for (flags, wanted) in cases {
        let found = result(&context, &[&["o"], flags].concat());
        assert_eq!(found, wanted, "{flags:?}");
    }
}
