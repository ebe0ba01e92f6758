package doctor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Told is a report as --json has it, for people who help: without tokens, and without the
// names of graphs and of the home folder.
type Told struct {
	Program string        `json:"program"` // version
	System  string        `json:"system"`  // "linux/amd64"
	Sandbox bool          `json:"sandbox"`
	Well    bool          `json:"well"`
	Found   []ToldFinding `json:"findings"`
}

// ToldFinding is a Finding as --json has it.
type ToldFinding struct {
	Check   string         `json:"check"`
	Subject string         `json:"subject"`
	Level   Level          `json:"level"`
	Found   string         `json:"found"`
	Why     string         `json:"why,omitempty"`
	Todo    string         `json:"todo,omitempty"`
	Mends   bool           `json:"mends,omitempty"` // by --fix
	Details map[string]any `json:"details,omitempty"`
}

// Tell returns the report as --json has it. Hints are read in the world; home is the folder
// that becomes "~".
func (r Report) Tell(world problem.World, program, system, home string, sandbox bool) Told {
	hide := newRedactor(home, r.names)
	told := Told{Program: program, System: system, Sandbox: sandbox, Well: r.Well(), Found: []ToldFinding{}}
	for _, f := range r.Findings {
		out := ToldFinding{
			Check: f.Check, Subject: hide.text(f.Subject), Level: f.Level, Found: hide.text(f.Found), Why: hide.text(f.Why),
			Todo: hide.text(world.Say(f.Todo)), Mends: !f.Well() && f.Fix != nil && f.Fix.Safe,
		}
		for _, d := range f.Details {
			if out.Details == nil {
				out.Details = make(map[string]any)
			}
			out.Details[d.Name] = hide.value(d.Value)
		}
		told.Found = append(told.Found, out)
	}
	return told
}

// redactor takes out of texts what a report must not tell.
type redactor struct {
	home  string
	names []secretName // the longest first
}

// secretName is a name of a graph, and what stands in its place.
type secretName struct{ name, instead string }

func newRedactor(home string, graphs [][]string) redactor {
	r := redactor{home: home}
	known := map[string]bool{"": true}
	for i, names := range graphs {
		for _, name := range names {
			if !known[name] {
				r.names = append(r.names, secretName{name, fmt.Sprintf("[graph %d]", i+1)})
			}
			known[name] = true
		}
	}
	slices.SortStableFunc(r.names, func(a, b secretName) int { return cmp.Compare(len(b.name), len(a.name)) })
	return r
}

// text returns a text without tokens, names of graphs and the home folder.
func (r redactor) text(s string) string {
	s = localapi.Redact(s)
	if len(strings.Trim(r.home, string(filepath.Separator))) > 0 {
		s = strings.ReplaceAll(s, r.home, "~")
	}
	var out strings.Builder
	for at := 0; at < len(s); {
		if name, ok := r.nameAt(s, at); ok {
			out.WriteString(name.instead)
			at += len(name.name)
			continue
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		out.WriteString(s[at : at+size])
		at += size
	}
	return out.String()
}

// nameAt returns the longest name that stands at a place of a text, as words of its own.
func (r redactor) nameAt(s string, at int) (secretName, bool) {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	for _, name := range r.names {
		if !strings.HasPrefix(s[at:], name.name) {
			continue
		}
		first, _ := utf8.DecodeRuneInString(name.name)
		last, _ := utf8.DecodeLastRuneInString(name.name)
		after, _ := utf8.DecodeRuneInString(s[at+len(name.name):])
		if !(inWord(before) && inWord(first)) && !(inWord(last) && inWord(after)) {
			return name, true
		}
	}
	return secretName{}, false
}

// value is text for the strings of a value of JSON.
func (r redactor) value(v any) any {
	text, ok := v.(string)
	if ok {
		return r.text(text)
	}
	if _, err := json.Marshal(v); err != nil {
		return nil
	}
	return v
}

// Summary says how much of what was looked at needs mending.
func (r Report) Summary(sandbox bool) string {
	var parts []string
	for _, each := range []struct {
		level Level
		what  string
	}{{Failed, "failed"}, {Warning, "to be mended"}, {Skipped, "not looked at"}} {
		if n := r.Count(each.level); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, each.what))
		}
	}
	where := ""
	if sandbox {
		where = " in the sandbox"
	}
	return "Not all is well" + where + ": " + strings.Join(parts, ", ") + "."
}
