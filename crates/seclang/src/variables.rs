//! The targets of rules: collections, one member of a collection, or the number of members.

use super::pattern::Pattern;

macro_rules! collections {
    ($($variant:ident = $name:literal;)+) => {
        /// A variable of the rule language. A single value is a collection of one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(super) enum Collection {
            $($variant,)+
        }

        impl Collection {
            /// All collections, in order.
            pub(super) const ALL: [Self; [$(Self::$variant),+].len()] = [$(Self::$variant),+];

            fn named(name: &str) -> Option<Self> {
                $(if name.eq_ignore_ascii_case($name) {
                    return Some(Self::$variant);
                })+
                None
            }

            /// Returns the name, in upper case.
            pub(super) const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

collections! {
    Args = "ARGS";
    ArgsCombinedSize = "ARGS_COMBINED_SIZE";
    ArgsGet = "ARGS_GET";
    ArgsGetNames = "ARGS_GET_NAMES";
    ArgsNames = "ARGS_NAMES";
    ArgsPost = "ARGS_POST";
    ArgsPostNames = "ARGS_POST_NAMES";
    AuthType = "AUTH_TYPE";
    Duration = "DURATION";
    Files = "FILES";
    FilesCombinedSize = "FILES_COMBINED_SIZE";
    FilesNames = "FILES_NAMES";
    FilesSizes = "FILES_SIZES";
    FilesTmpContent = "FILES_TMP_CONTENT";
    FilesTmpNames = "FILES_TMPNAMES";
    FullRequest = "FULL_REQUEST";
    FullRequestLength = "FULL_REQUEST_LENGTH";
    Geo = "GEO";
    Global = "GLOBAL";
    InboundDataError = "INBOUND_DATA_ERROR";
    Ip = "IP";
    MatchedVar = "MATCHED_VAR";
    MatchedVarName = "MATCHED_VAR_NAME";
    MatchedVars = "MATCHED_VARS";
    MatchedVarsNames = "MATCHED_VARS_NAMES";
    MultipartBoundaryQuoted = "MULTIPART_BOUNDARY_QUOTED";
    MultipartBoundaryWhitespace = "MULTIPART_BOUNDARY_WHITESPACE";
    MultipartCrlfLfLines = "MULTIPART_CRLF_LF_LINES";
    MultipartDataAfter = "MULTIPART_DATA_AFTER";
    MultipartDataBefore = "MULTIPART_DATA_BEFORE";
    MultipartFileLimitExceeded = "MULTIPART_FILE_LIMIT_EXCEEDED";
    MultipartFileName = "MULTIPART_FILENAME";
    MultipartHeaderFolding = "MULTIPART_HEADER_FOLDING";
    MultipartInvalidHeaderFolding = "MULTIPART_INVALID_HEADER_FOLDING";
    MultipartInvalidPart = "MULTIPART_INVALID_PART";
    MultipartInvalidQuoting = "MULTIPART_INVALID_QUOTING";
    MultipartLfLine = "MULTIPART_LF_LINE";
    MultipartMissingSemicolon = "MULTIPART_MISSING_SEMICOLON";
    MultipartName = "MULTIPART_NAME";
    MultipartPartHeaders = "MULTIPART_PART_HEADERS";
    MultipartStrictError = "MULTIPART_STRICT_ERROR";
    MultipartUnmatchedBoundary = "MULTIPART_UNMATCHED_BOUNDARY";
    OutboundDataError = "OUTBOUND_DATA_ERROR";
    PathInfo = "PATH_INFO";
    QueryString = "QUERY_STRING";
    RemoteAddr = "REMOTE_ADDR";
    RemoteHost = "REMOTE_HOST";
    RemotePort = "REMOTE_PORT";
    RemoteUser = "REMOTE_USER";
    ReqbodyError = "REQBODY_ERROR";
    ReqbodyErrorMsg = "REQBODY_ERROR_MSG";
    ReqbodyProcessor = "REQBODY_PROCESSOR";
    ReqbodyProcessorError = "REQBODY_PROCESSOR_ERROR";
    ReqbodyProcessorErrorMsg = "REQBODY_PROCESSOR_ERROR_MSG";
    RequestBasename = "REQUEST_BASENAME";
    RequestBody = "REQUEST_BODY";
    RequestBodyLength = "REQUEST_BODY_LENGTH";
    RequestCookies = "REQUEST_COOKIES";
    RequestCookiesNames = "REQUEST_COOKIES_NAMES";
    RequestFilename = "REQUEST_FILENAME";
    RequestHeaders = "REQUEST_HEADERS";
    RequestHeadersNames = "REQUEST_HEADERS_NAMES";
    RequestLine = "REQUEST_LINE";
    RequestMethod = "REQUEST_METHOD";
    RequestProtocol = "REQUEST_PROTOCOL";
    RequestUri = "REQUEST_URI";
    RequestUriRaw = "REQUEST_URI_RAW";
    Resource = "RESOURCE";
    ResponseBody = "RESPONSE_BODY";
    ResponseContentLength = "RESPONSE_CONTENT_LENGTH";
    ResponseContentType = "RESPONSE_CONTENT_TYPE";
    ResponseHeaders = "RESPONSE_HEADERS";
    ResponseHeadersNames = "RESPONSE_HEADERS_NAMES";
    ResponseProtocol = "RESPONSE_PROTOCOL";
    ResponseStatus = "RESPONSE_STATUS";
    Rule = "RULE";
    ServerAddr = "SERVER_ADDR";
    ServerName = "SERVER_NAME";
    ServerPort = "SERVER_PORT";
    Session = "SESSION";
    SessionId = "SESSIONID";
    Time = "TIME";
    TimeDay = "TIME_DAY";
    TimeEpoch = "TIME_EPOCH";
    TimeHour = "TIME_HOUR";
    TimeMin = "TIME_MIN";
    TimeMon = "TIME_MON";
    TimeSec = "TIME_SEC";
    TimeWday = "TIME_WDAY";
    TimeYear = "TIME_YEAR";
    Tx = "TX";
    UniqueId = "UNIQUE_ID";
    UrlEncodedError = "URLENCODED_ERROR";
    User = "USER";
    UserId = "USERID";
    WebAppId = "WEBAPPID";
    Xml = "XML";
}

impl Collection {
    /// Returns true if the collection always has exactly one value, which is empty until it is set.
    pub(super) const fn is_single(self) -> bool {
        !self.is_stored()
            && !matches!(
                self,
                Self::Args
                    | Self::ArgsGet
                    | Self::ArgsGetNames
                    | Self::ArgsNames
                    | Self::ArgsPost
                    | Self::ArgsPostNames
                    | Self::Files
                    | Self::FilesNames
                    | Self::FilesSizes
                    | Self::FilesTmpContent
                    | Self::FilesTmpNames
                    | Self::Geo
                    | Self::MatchedVars
                    | Self::MatchedVarsNames
                    | Self::MultipartFileName
                    | Self::MultipartName
                    | Self::MultipartPartHeaders
                    | Self::RequestCookies
                    | Self::RequestCookiesNames
                    | Self::RequestHeaders
                    | Self::RequestHeadersNames
                    | Self::ResponseHeaders
                    | Self::ResponseHeadersNames
                    | Self::Rule
                    | Self::Xml
            )
    }

    /// Returns true if the collection describes the matches of the current rule.
    pub(super) const fn is_about_matches(self) -> bool {
        matches!(
            self,
            Self::MatchedVar | Self::MatchedVarName | Self::MatchedVars | Self::MatchedVarsNames
        )
    }

    /// Returns true if actions can write to the collection. Its members are not kept from one
    /// request to the next.
    pub(super) const fn is_stored(self) -> bool {
        matches!(
            self,
            Self::Tx | Self::Ip | Self::Global | Self::Session | Self::User | Self::Resource
        )
    }
}

/// Selects members of a collection. Keys are compared without case.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Selector {
    All,
    Key(Vec<u8>),
    /// A stored variable: its slot, and its name.
    Slot(usize, Vec<u8>),
    Matching(Pattern),
}

impl Selector {
    /// Returns the selected key; empty if several keys are selected.
    pub(super) fn key(&self) -> &[u8] {
        match self {
            Self::Key(key) | Self::Slot(_, key) => key,
            Self::All | Self::Matching(_) => &[],
        }
    }

    pub(super) fn selects(&self, key: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Key(wanted) | Self::Slot(_, wanted) => wanted.eq_ignore_ascii_case(key),
            Self::Matching(pattern) => pattern.is_match(key).unwrap_or(false),
        }
    }
}

/// A collection with a selector: `ARGS`, `ARGS:id`, `REQUEST_COOKIES:/^sess/`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct RuleTarget {
    pub collection: Collection,
    pub selector: Selector,
    /// True for `&ARGS`: the number of members instead of their values.
    pub count: bool,
}

/// The targets of a rule: the selected and the excluded members.
#[derive(Debug, Default)]
pub(super) struct Targets {
    pub included: Vec<RuleTarget>,
    pub excluded: Vec<RuleTarget>,
}

impl Targets {
    /// Parses `ARGS|!ARGS:id|&REQUEST_HEADERS:Host`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut targets = Self::default();
        for part in split_targets(text) {
            let part = part.trim();
            match part.strip_prefix('!') {
                Some(part) => targets.excluded.push(RuleTarget::parse(part)?),
                None => targets.included.push(RuleTarget::parse(part)?),
            }
        }
        Ok(targets)
    }
}

impl RuleTarget {
    /// Parses one target, such as `&ARGS:id`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (count, text) = text.strip_prefix('&').map_or((false, text), |rest| (true, rest));
        let (name, selector) =
            text.split_once(':').map_or((text, None), |(name, selector)| (name, Some(selector)));
        let collection = Collection::named(name.trim())
            .ok_or_else(|| format!("the variable `{name}` is unknown"))?;
        let selector = match selector.map(|selector| selector.trim().trim_matches('\'')) {
            None | Some("") => Selector::All,
            Some(selector) => {
                match selector.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
                    Some(pattern) if collection != Collection::Xml => Selector::Matching(
                        Pattern::new(pattern.as_bytes(), true)
                            .map_err(|error| format!("the selector `/{pattern}/`: {error}"))?,
                    ),
                    _ => Selector::Key(selector.to_ascii_lowercase().into_bytes()),
                }
            }
        };
        Ok(Self { collection, selector, count })
    }

    /// Returns true if a member of a collection is selected.
    pub(super) fn covers(&self, collection: Collection, key: &[u8]) -> bool {
        self.collection == collection && self.selector.selects(key)
    }
}

/// Splits at `|`, except inside a regular expression.
fn split_targets(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut inside = false;
    let mut escaped = false;
    let mut previous = b'|';
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            // `XML:/*` is a path and not a regular expression: those begin after `:` and end before
            // `|`.
            b'/' if inside && matches!(text.as_bytes().get(at + 1), None | Some(b'|' | b'\'')) => {
                inside = false
            }
            b'/' if !inside && matches!(previous, b':' | b'\'') => {
                inside = !text[start..]
                    .to_ascii_uppercase()
                    .trim_start_matches(['!', '&'])
                    .starts_with("XML")
            }
            b'|' if !inside => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        previous = byte;
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_split_outside_of_expressions() {
        let targets =
            Targets::parse("REQUEST_COOKIES|!REQUEST_COOKIES:/a|b/|XML:/*|&TX:'/x/'|ARGS:ID")
                .unwrap();
        let included: Vec<_> =
            targets.included.iter().map(|target| (target.collection, target.count)).collect();
        assert_eq!(
            included,
            [
                (Collection::RequestCookies, false),
                (Collection::Xml, false),
                (Collection::Tx, true),
                (Collection::Args, false)
            ]
        );
        assert!(targets.excluded[0].covers(Collection::RequestCookies, b"xBx"));
        assert!(
            targets.included[3].covers(Collection::Args, b"id")
                && !targets.included[3].covers(Collection::Args, b"ids")
        );
    }

    #[test]
    fn an_unknown_variable_is_named() {
        assert_eq!(Targets::parse("ARGZ").unwrap_err(), "the variable `ARGZ` is unknown");
    }
}
