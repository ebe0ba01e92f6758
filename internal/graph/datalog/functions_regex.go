package datalog

import (
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/graph/edn"
)

// keptRegexes is how many compiled expressions a run keeps. Every row may make another.
const keptRegexes = 16

// regex compiles an expression, or finds it among those kept.
func (r builtin) regex(source string) (*regex, error) {
	if re, ok := r.regexes[source]; ok {
		return re, nil
	}
	if len(r.regexes) == keptRegexes {
		for old := range r.regexes {
			r.free(regexSize(old))
		}
		clear(r.regexes)
	}
	if !r.hold(regexSize(source)) {
		return nil, r.err
	}
	re, err := compileRegex(source)
	if err != nil {
		return nil, errorf(CodeFunction, "The regular expression %s is not understood (%v)", edn.Print(source), err)
	}
	r.regexes[source] = re
	return re, nil
}

// regexSize returns how many bytes a compiled expression takes at most, with what
// matching needs: for each instruction its code and a copy of all groups.
func regexSize(source string) int {
	instructions := 4 * len(source)
	if strings.Contains(source, "{") {
		instructions = 150 * len(source) // a{1000} is a thousand
	}
	return 1024 + instructions*(64+16*strings.Count(source, "("))
}

func rePattern(r *run, args []val) (val, error) {
	if args[0].kind == kindObject {
		return args[0], nil
	}
	if err := textArgs("re-pattern", args); err != nil {
		return val{}, err
	}
	if _, err := r.builtin().regex(args[0].s); err != nil {
		return val{}, err
	}
	return r.intern(edn.Regex(args[0].s)), nil
}

func (r builtin) regexArgs(function string, args []val) (*regex, string, error) {
	re, ok := r.value(args[0]).(edn.Regex)
	if !ok {
		return nil, "", errorf(CodeFunction, "%s needs a regular expression, not %s; make one with [(re-pattern \"…\") ?re]", function, show(args[0]))
	}
	if args[1].kind != kindString {
		return nil, "", errorf(CodeFunction, "%s must match against a string, not %s", function, show(args[1]))
	}
	compiled, err := r.regex(string(re))
	return compiled, args[1].s, err
}

// firstMatch finds the first match, which may take long, and memory for its way back.
func (r builtin) firstMatch(re *regex, s string) ([]int, error) {
	if len(re.starts) > 0 {
		switch from, to := re.start(s); {
		case from < 0:
			return nil, nil
		case re.whole:
			return []int{from, to}, nil
		}
	}
	if r.check(); !r.borrow(backtrackBytes*len(s)) || r.err != nil {
		return nil, r.err
	}
	defer r.giveBack()
	return re.find(s)
}

// backtrackBytes is what backtracking may hold for each byte of a text.
const backtrackBytes = 192

// match returns the matched text, or a vector of it and its groups.
func (r builtin) match(s string, at []int) val {
	if len(at) == 0 {
		return val{}
	}
	if len(at) == 2 {
		return stringVal(s[at[0]:at[1]])
	}
	return r.intern(groups(s, at))
}

func groups(s string, at []int) []any {
	out := make([]any, len(at)/2)
	for i := range out {
		if from := at[2*i]; from >= 0 {
			out[i] = s[from:at[2*i+1]]
		}
	}
	return out
}

func reFind(r *run, args []val) (val, error) {
	re, s, err := r.builtin().regexArgs("re-find", args)
	if err != nil {
		return val{}, err
	}
	at, err := r.builtin().firstMatch(re, s)
	return r.builtin().match(s, at), err
}

func reMatches(r *run, args []val) (val, error) {
	re, s, err := r.builtin().regexArgs("re-matches", args)
	if err != nil {
		return val{}, err
	}
	at, err := r.builtin().firstMatch(re, s)
	if err != nil {
		return val{}, err
	}
	if len(at) == 0 || at[0] != 0 || at[1] != len(s) {
		return val{}, nil
	}
	return r.builtin().match(s, at), nil
}

func reSeq(r *run, args []val) (val, error) {
	re, s, err := r.builtin().regexArgs("re-seq", args)
	if err != nil {
		return val{}, err
	}
	out := []any{}
	for { // in what follows a match, ^ and \b are as at the start of a text, as in ClojureScript
		at, err := r.builtin().firstMatch(re, s)
		if err != nil {
			return val{}, err
		}
		if len(at) == 0 || r.tick() {
			break
		}
		if !r.hold(anyBytes) {
			return val{}, r.err
		}
		out = append(out, r.value(r.builtin().match(s, at)))
		end := at[1]
		if at[0] == at[1] {
			if end == len(s) {
				break
			}
			_, width := utf8.DecodeRuneInString(s[end:])
			end += width
		}
		s = s[end:]
	}
	r.free(len(out) * anyBytes) // intern counts it
	if len(out) == 0 {
		return val{}, nil
	}
	return r.intern(out), nil
}
