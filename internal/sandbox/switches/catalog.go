package switches

import (
	"slices"

	"roam-mcp/internal/observed"
)

// Name names a switch, as in "--switch NAME=VALUE".
type Name string

// The switches of the server and of its replies.
const (
	Latency        Name = "latency"
	SlowStart      Name = "slow-start"
	WindowClosed   Name = "window-closed"
	BodyCap        Name = "body-cap"
	Drop           Name = "drop"
	Reply          Name = "reply"
	Fail           Name = "fail"
	FailDone       Name = "fail-done"
	Ignored        Name = "ignored"
	Late           Name = "late"
	StringErrors   Name = "string-errors"
	NoCodes        Name = "no-codes"
	NoAPIVersion   Name = "no-api-version"
	APIVersion     Name = "api-version"
	Disabled       Name = "disabled"
	LaxOrigin      Name = "lax-origin"
	Exchange       Name = "exchange"
	Tokens         Name = "tokens"
	NoTokensInfo   Name = "no-tokens-info"
	Demoted        Name = "demoted"
	NoDeleteReport Name = "no-delete-report"
	NoBatch        Name = "no-batch"
	OldBatchNames  Name = "old-batch-names"
	NoReferences   Name = "no-linked-references"
	NoSuggestLinks Name = "no-suggest-links"
	BareLists      Name = "bare-lists"
	NoAvailable    Name = "no-available"
	BareGuidelines Name = "bare-guidelines"
	OldGuidelines  Name = "old-guidelines-page"
	BareTemplates  Name = "bare-templates"
	BareDocuments  Name = "bare-documents"
	FewForAI       Name = "few-ai-actions"
	NoTokenCodes   Name = "no-token-codes"
	OldWire        Name = "old-wire"
	Build          Name = "build"
	SignedOut      Name = "signed-out"
	Public         Name = "public"
	Encrypted      Name = "encrypted"
	Locked         Name = "locked"
	NoMoveStamp    Name = "no-move-stamp"
	NewIDs         Name = "new-ids"
	NoTuplePull    Name = "no-tuple-pull"
	SlowQueries    Name = "slow-queries"
)

// The beliefs that this package plays itself; the others are in internal/sandbox/actions,
// internal/graph/outline and the server.
const (
	asyncForms    Name = "async-forms"
	batchActions  Name = "batch-actions"
	body1M        Name = "body-1m"
	encryptedForm Name = "encrypted-form"
	tagForm       Name = "tag-form"
)

// Values of Exchange beside the levels "read-only" and "read-append".
const (
	ExchangeAllow   = "allow"
	ExchangeDeny    = "deny"
	ExchangeNever   = "never"
	ExchangeTimeout = "timeout"
	ExchangeBusy    = "busy"
	ExchangeCancel  = "cancelled"
	ExchangeNoToken = "no-token"
	ExchangeError   = "error"
)

// Values of Tokens.
const (
	TokensRevoked   = "revoked"
	TokensWrongType = "wrong-type"
	TokensWrong     = "wrong-graph"
	TokensCloud     = "cloud"
	TokensCorrupt   = "corrupt-file"
)

// Values of Reply.
const (
	ReplyHTML     = "html"
	ReplyText     = "text"
	ReplyHalf     = "half"
	ReplyEmpty    = "empty"
	ReplyRedirect = "redirect"
)

// Values of Build.
const (
	BuildEarly2026 = "early-2026" // Roam as it was in early 2026
	BuildAPI009    = "api-0.0.9"  // the Roam that the API's first reference describes
)

// kind says what values a switch takes.
type kind uint8

const (
	isFlag kind = iota
	isDuration
	isSize
	isCount
	isChoice
	isVersion
	isFailure
	isActions
	isGraphs
	isFinding
)

// Switch describes one switch.
type Switch struct {
	Name    Name
	Does    string   // one sentence
	Value   string   // placeholder for its value in a usage line; empty: it takes none
	Choices []string // the only values; nil: others
	Default string   // the value if none is given; empty: it needs one, or takes none

	kind kind
}

// Usage returns the switch as it is written: "latency=DURATION".
func (s Switch) Usage() string {
	switch {
	case s.Value == "":
		return string(s.Name)
	case s.Default != "":
		return string(s.Name) + "[=" + s.Value + "]"
	}
	return string(s.Name) + "=" + s.Value
}

func flag(name Name, does string) Switch { return Switch{Name: name, Does: does} }

func choice(name Name, does string, choices ...string) Switch {
	s := Switch{Name: name, Does: does, Choices: choices, kind: isChoice}
	for i, c := range choices {
		if i > 0 {
			s.Value += "|"
		}
		s.Value += c
	}
	return s
}

func valued(name Name, k kind, value, fallback, does string) Switch {
	return Switch{Name: name, Does: does, Value: value, Default: fallback, kind: k}
}

// Catalog lists all switches, those of the server first.
func Catalog() []Switch {
	return slices.Concat(serverSwitches(), tokenSwitches(), buildSwitches(), graphSwitches(), beliefSwitches())
}

func serverSwitches() []Switch {
	reply := choice(Reply, "Every reply of the API is replaced by something that is no JSON of Roam's.",
		ReplyHTML, ReplyText, ReplyHalf, ReplyEmpty, ReplyRedirect)
	reply.Default = ReplyHTML
	return []Switch{
		valued(Latency, isDuration, "DURATION", "", "Every call of the API takes this much longer."),
		valued(SlowStart, isDuration, "DURATION", "", "No call of the API is answered until this long after the switch was set."),
		flag(WindowClosed, "The graph's window closes while an action waits for it: 500, Promise error."),
		valued(BodyCap, isSize, "SIZE", "", "A larger request is answered as by a body parser: 413, an HTML page."),
		valued(Drop, isCount, "COUNT", "1", "The next actions are done, and the connection is cut instead of a reply."),
		reply,
		valued(Fail, isFailure, "ACTION[:TEXT]", "", "The action throws: 500, without a code, with the text."),
		valued(FailDone, isFailure, "ACTION[:TEXT]", "", "The action is done, and throws then: 500, without a code, with the text."),
		valued(Ignored, isActions, "ACTION,…", "", "These writes, or all, do nothing, and are answered as if they were done."),
		valued(Late, isDuration, "DURATION", "", "The connection of every write is cut at once, and the write is done this much later."),
		flag(StringErrors, "Errors are plain strings, as older builds sent them."),
		flag(NoCodes, "Errors have a message only."),
		flag(NoAPIVersion, "Replies bear no apiVersion."),
		valued(APIVersion, isVersion, "VERSION", "", "The API has this version, such as 1.2.0 or 1.0.9."),
		flag(Disabled, "The Local API is switched off in Roam's settings."),
		flag(LaxOrigin, "Web pages of any origin are answered, as Roam does."),
	}
}

func tokenSwitches() []Switch {
	return []Switch{
		choice(Exchange, "How token requests end, whatever the approval policy.",
			ExchangeAllow, "read-append", "read-only", ExchangeDeny, ExchangeNever, ExchangeTimeout,
			ExchangeBusy, ExchangeCancel, ExchangeNoToken, ExchangeError),
		choice(Tokens, "What is wrong with every token.",
			TokensRevoked, TokensWrongType, TokensWrong, TokensCloud, TokensCorrupt),
		flag(NoTokensInfo, "The route tokens/info does not exist."),
		flag(Demoted, "The signed-in user may only read, whatever the token grants."),
	}
}

func buildSwitches() []Switch {
	build := choice(Build, "All of the older forms together, as they were then.", BuildEarly2026, BuildAPI009)
	build.Default = BuildEarly2026
	return []Switch{
		build,
		flag(NoDeleteReport, "Deletions report nothing."),
		flag(NoBatch, "block.updateBlocks, block.deleteBlocks and batchActions do not exist."),
		flag(OldBatchNames, "They are named block.updateMany and block.deleteMany."),
		flag(NoReferences, "getPage and getBlock come without linkedReferences."),
		flag(NoSuggestLinks, "ai.suggestLinks does not exist."),
		flag(BareLists, "The lists of graphs are bare arrays."),
		flag(NoAvailable, "The route graphs/available does not exist."),
		flag(BareGuidelines, "The guidelines are a string or null."),
		flag(OldGuidelines, "The guidelines are those of the page agent guidelines."),
		flag(BareTemplates, "The templates are a bare array."),
		flag(BareDocuments, "getPage and getBlock have nothing but markdown and path."),
		flag(FewForAI, "Of data.ai there are getPage, getBlock, getBacklinks, search, searchTemplates and getGraphGuidelines; addComment is missing, too."),
		flag(NoTokenCodes, "Errors of tokens have a message only."),
		flag(OldWire, "Markdown is written in the format before July 2026."),
	}
}

func graphSwitches() []Switch {
	locked := valued(Locked, isDuration, "DURATION", "30m", "Calls wait for the password of an encrypted graph; 504 after this long.")
	return []Switch{
		flag(SignedOut, "Nobody is signed in: no graph is available, and only offline ones are open."),
		valued(Public, isGraphs, "GRAPH,…", "", "Somebody else's public graphs: never listed as available, and only to be read."),
		valued(Encrypted, isGraphs, "GRAPH,…", "", "Graphs that count as encrypted."),
		locked,
		flag(NoMoveStamp, "A block that is moved keeps its times, and so do the blocks and pages that it leaves and comes to."),
		flag(NewIDs, "The graphs are loaded anew, and every entity has another id then; uids stay."),
		flag(NoTuplePull, "A query with pull in :find takes no [?e ...] in :in."),
		valued(SlowQueries, isDuration, "DURATION", "", "A query or pull takes this long for every 100,000 entities that it is given, or that the graph has if it is given none, and no other call of the graph is answered meanwhile."),
	}
}

// beliefSwitches lists a switch for each belief of package observed, whose values are the
// findings other than the expected one.
func beliefSwitches() []Switch {
	var list []Switch
	for _, belief := range observed.Beliefs() {
		s := choice(Name(belief.ID), belief.Asks+" Expected: "+belief.Expected+".", belief.Otherwise...)
		s.kind = isFinding
		switch {
		case belief.Answers:
			s.Value = "STATUS[/CODE]"
		case belief.Several:
			s.Value = "FINDING,…"
		}
		list = append(list, s)
	}
	return list
}

// Find returns the switch of a name.
func Find(name Name) (Switch, bool) {
	all := Catalog()
	at := slices.IndexFunc(all, func(s Switch) bool { return s.Name == name })
	if at < 0 {
		return Switch{}, false
	}
	return all[at], true
}

// standsFor returns the settings that a value of Build stands for.
func standsFor(build string) []Setting {
	common := []Name{NoDeleteReport, NoBatch, NoReferences, NoSuggestLinks, BareGuidelines, OldGuidelines, BareTemplates, OldWire}
	var settings []Setting
	switch build {
	case BuildEarly2026:
		common = append(common, BareLists, NoCodes, NoAPIVersion)
	case BuildAPI009:
		common = append(common, BareDocuments, FewForAI, NoTokenCodes, NoTokensInfo)
		settings = append(settings, Setting{APIVersion, "0.0.9"})
	default:
		return nil
	}
	for _, name := range common {
		settings = append(settings, Setting{name, "on"})
	}
	return settings
}
