use proptest::prelude::*;

use super::*;

#[derive(Clone, Default)]
struct Tool {
    id: &'static str,
    category: Option<&'static str>,
    description: Option<&'static str>,
    content: Vec<(String, u32)>,
}

impl Tool {
    fn entry(&self) -> Entry<'_> {
        Entry {
            id: self.id,
            name: self.id.rsplit('/').next().unwrap_or(self.id),
            category: self.category,
            description: self.description,
            content: &self.content,
        }
    }
}

fn tool(id: &'static str, description: &'static str) -> Tool {
    Tool {
        id,
        description: Some(description),
        ..Tool::default()
    }
}

fn shelf() -> Vec<Tool> {
    vec![
        tool("web/fetch", "Downloads a page"),
        tool("web/fetch_page", "Fetches a web page and gives its text"),
        tool("web/scrape", "Fetches pages and cuts out their tables"),
        tool("git/fetchRemote", "Updates the branches of a remote"),
        tool("data/csv_to_json", "Converts tables"),
        tool("data/HTTPServer", "Serves a folder"),
        tool("text/résumé", "Écrit un résumé du texte"),
        tool("jp/天気予報", "東京の天気予報を取得する"),
        tool("ru/перевод", "Переводит тексты на английский"),
        tool("crypto/sha256", "Digest of a file"),
        tool("k8s/deploy", "Rolls out to kubernetes"),
    ]
}

fn ids(tools: &[Tool], query: &str) -> Vec<&'static str> {
    let entries: Vec<_> = tools.iter().map(Tool::entry).collect();
    let hits = rank(&entries, query, 100);
    hits.iter().map(|hit| tools[hit.index].id).collect()
}

fn first(query: &str) -> Option<&'static str> {
    ids(&shelf(), query).first().copied()
}

#[test]
fn text_is_cut_where_people_see_words() {
    let table: [(&str, &[&str]); 16] = [
        ("fetch_page", &["fetch", "page", "fetchpage"]),
        ("fetchPage", &["fetch", "page", "fetchpage"]),
        ("HTTPServer", &["http", "server", "httpserver"]),
        ("kebab-case", &["kebab", "case", "kebabcase"]),
        ("web/fetch.py", &["web", "fetch", "py"]),
        ("sha256", &["sha", "256", "sha256"]),
        ("a v2 b", &["v2"]),
        ("Files, queries & boxes", &["file", "query", "box"]),
        (
            "caches aliases status class",
            &["cache", "alias", "status", "class"],
        ),
        ("Café CAFE\u{301}", &["cafe", "cafe"]),
        ("Straße", &["strasse"]),
        ("ＰＤＦ", &["pdf"]),
        ("天気予報", &["天気", "気予", "予報"]),
        ("PDF変換", &["pdf", "変換"]),
        ("हिन्दी में", &["हिन्दी", "में"]),
        (" -_/. ", &[]),
    ];
    for (text, expected) in table {
        assert_eq!(tokens(text), expected, "{text}");
    }
}

#[test]
fn content_counts_words_and_leaves_out_what_every_program_has() {
    let words = content_tokens("def fetch(url):\n    return fetch(url, 42) if url else None\n");
    assert_eq!(words, [("fetch".to_owned(), 2), ("url".to_owned(), 3)]);
}

#[test]
fn content_keeps_the_most_frequent_of_too_many_words() {
    let mut text: String = (0..2000).map(|word| format!("w{word}x ")).collect();
    text.push_str("needle needle");
    let words = content_tokens(&text);
    assert_eq!(words.len(), 512);
    assert!(words.contains(&("needle".to_owned(), 2)));
    assert!(words.is_sorted());
}

#[test]
fn an_empty_query_finds_nothing() {
    for query in ["", "  ", "_", "./-", "\u{301}"] {
        assert!(ids(&shelf(), query).is_empty(), "{query:?}");
    }
    let entries: Vec<Entry<'_>> = Vec::new();
    assert!(rank(&entries, "fetch", 10).is_empty());
}

#[test]
fn the_exact_id_or_name_comes_first() {
    assert_eq!(first("fetch"), Some("web/fetch"));
    assert_eq!(first("web/fetch_page"), Some("web/fetch_page"));
    assert_eq!(first("Fetch Page"), Some("web/fetch_page"));
    assert_eq!(first("fetch remote"), Some("git/fetchRemote"));
    assert_eq!(first("httpserver"), Some("data/HTTPServer"));
    assert_eq!(first("sha 256"), Some("crypto/sha256"));
}

#[test]
fn an_exact_id_is_found_even_if_it_has_no_words() {
    let tools = [tool("a/b", ""), tool("x/y", "")];
    assert_eq!(ids(&tools, "X/Y"), ["x/y"]);
}

#[test]
fn a_word_in_the_name_beats_one_in_the_description_and_that_one_in_the_content() {
    let often = Tool {
        id: "in_content",
        content: vec![("invoice".to_owned(), 500)],
        ..Tool::default()
    };
    let category = Tool {
        id: "in_category",
        category: Some("invoice"),
        ..Tool::default()
    };
    let tools = [
        often,
        category,
        tool("in_description", "Sends the invoice"),
        tool("invoice_sender", "Sends"),
    ];
    assert_eq!(
        ids(&tools, "invoice"),
        [
            "invoice_sender",
            "in_category",
            "in_description",
            "in_content"
        ]
    );
}

#[test]
fn an_entry_with_all_words_beats_one_with_some() {
    let tools = [
        tool("convert", "Converts"),
        tool("convert_convert", "convert convert"),
        tool("zz", "Turns an image into text, to convert it"),
    ];
    assert_eq!(ids(&tools, "convert image").first(), Some(&"zz"));
    assert_eq!(ids(&tools, "convert image").len(), 3);
}

#[test]
fn small_words_of_a_sentence_do_not_count() {
    assert_eq!(
        first("how to fetch the text of a web page"),
        Some("web/fetch_page")
    );
}

#[test]
fn a_beginning_of_a_name_is_found_while_it_is_typed() {
    assert_eq!(first("scr"), Some("web/scrape"));
    assert_eq!(first("f"), Some("web/fetch"));
    let tools = [
        tool("fetcher", "x"),
        tool("other", "to fetch"),
        tool("my_fetch", "x"),
    ];
    assert_eq!(ids(&tools, "fetch"), ["my_fetch", "other", "fetcher"]);
}

#[test]
fn a_slip_is_forgiven_where_nothing_else_is_found() {
    let table = [
        ("fecth", "web/fetch"),
        ("fetsh", "web/fetch"),
        ("scrpe", "web/scrape"),
        ("kubernets", "k8s/deploy"),
        ("kubrenettes", "k8s/deploy"),
        ("fecth page", "web/fetch_page"),
        ("перевот", "ru/перевод"),
    ];
    for (query, expected) in table {
        assert_eq!(first(query), Some(expected), "{query}");
    }
}

#[test]
fn short_words_and_numbers_are_taken_as_they_are() {
    let tools = [tool("cat", "x"), tool("report2024", "x")];
    for query in ["cut", "2025"] {
        assert!(ids(&tools, query).is_empty(), "{query}");
    }
}

#[test]
fn an_exact_word_beats_a_guess() {
    let tools = [tool("fetch_it", "x"), tool("zz", "the fecth protocol")];
    assert_eq!(ids(&tools, "fecth"), ["zz"]);
}

#[test]
fn words_are_found_joined_and_apart() {
    let tools = [tool("webfetch", "x"), tool("data_base", "x")];
    assert_eq!(ids(&tools, "web fetch"), ["webfetch"]);
    assert_eq!(ids(&tools, "database"), ["data_base"]);
    assert_eq!(ids(&tools, "dataBase"), ["data_base"]);
}

#[test]
fn plurals_and_accents_make_no_difference() {
    assert_eq!(first("table"), first("tables"));
    assert_eq!(first("resume"), Some("text/résumé"));
    assert_eq!(first("RÉSUMÉ"), Some("text/résumé"));
}

#[test]
fn scripts_without_spaces_are_searched_too() {
    assert_eq!(first("天気"), Some("jp/天気予報"));
    assert_eq!(first("東京"), Some("jp/天気予報"));
    assert_eq!(first("報"), Some("jp/天気予報"));
    assert_eq!(first("ПЕРЕВОД"), Some("ru/перевод"));
    assert_eq!(first("английский"), Some("ru/перевод"));
}

#[test]
fn a_hit_names_the_words_it_was_found_by() {
    let tools = shelf();
    let entries: Vec<_> = tools.iter().map(Tool::entry).collect();
    let hits = rank(&entries, "pages fecth", 1);
    assert_eq!(hits[0].matched, ["page", "fetch"]);
}

#[test]
fn equal_entries_come_in_the_order_of_their_ids_whatever_the_input_order() {
    let mut tools = shelf();
    tools.extend([tool("b/same", "Twin"), tool("a/same", "Twin")]);
    let forward = ids(&tools, "twin page fetch");
    tools.reverse();
    assert_eq!(ids(&tools, "twin page fetch"), forward);
    let twins: Vec<_> = ids(&tools, "twin");
    assert_eq!(twins, ["a/same", "b/same"]);
}

#[test]
fn no_more_than_the_limit_is_given() {
    let tools = shelf();
    let entries: Vec<_> = tools.iter().map(Tool::entry).collect();
    assert_eq!(rank(&entries, "fetch", 2).len(), 2);
    assert!(rank(&entries, "fetch", 0).is_empty());
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(
        name in "\\PC{0,20}",
        description in "\\PC{0,60}",
        query in "\\PC{0,40}",
        limit in 0_usize..3,
    ) {
        let content = content_tokens(&description);
        let entry = Entry {
            id: &name,
            name: &name,
            category: Some(&query),
            description: Some(&description),
            content: &content,
        };
        for hit in rank(&[entry, entry], &query, limit) {
            prop_assert!(hit.score.is_finite() && hit.score >= 0.0 && hit.score < 4.0);
        }
    }

    #[test]
    fn every_name_with_a_word_is_found_first_by_itself(name in "[a-z]{2,6}(_[a-z]{2,6}){0,2}") {
        let tools = shelf();
        let mut entries: Vec<_> = tools.iter().map(Tool::entry).collect();
        entries.push(Entry { id: &name, name: &name, category: None, description: None, content: &[] });
        let hits = rank(&entries, &name, 1);
        prop_assert_eq!(hits[0].index, entries.len() - 1);
    }

    #[test]
    fn a_word_is_the_same_word_in_any_case(word in "[a-z]{2,12}") {
        prop_assert_eq!(tokens(&word), tokens(&word.to_uppercase()));
    }
}
