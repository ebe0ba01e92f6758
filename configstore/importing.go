package configstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"roam-mcp/internal/files"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// ReadOfficial reads the graphs of ~/.roam-tools.json, the file of Roam's own tools
// (LOCAL_API.md 4.2), or of any other file of that form. The error for a missing file
// is CONFIG_NOT_FOUND.
func ReadOfficial(path string) ([]Entry, []Problem, error) {
	d, err := openOfficial(path)
	if err != nil {
		return nil, nil, err
	}
	c, _ := d.config()
	return c.Entries, c.Problems, nil
}

func openOfficial(path string) (*document, error) {
	text, _, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &problem.Error{
			Code:    CodeConfigNotFound,
			Message: fmt.Sprintf("There is no file %s.", path),
			Hint:    problem.Say("There is nothing to import; connect the graphs instead."),
			Place:   &problem.Place{Path: path}, Err: fs.ErrNotExist,
		}
	}
	if err != nil {
		return nil, err
	}
	return parseDocument(path, text)
}

// ImportReport says what became of each entry given to Import.
type ImportReport struct {
	Added   []Added   `json:"added"`
	Renewed []Entry   `json:"renewed"` // were configured and got a rescued token, or the one that they lacked; as in our file
	Present []Entry   `json:"present"` // were configured and stay unchanged; as in our file
	Skipped []Skipped `json:"skipped"`
}

// Added is an entry that Import added.
type Added struct {
	Entry Entry `json:"entry"`
	// FormerNickname is set if the nickname was taken and got a number, or was not fit
	// for one that nobody has typed (CheckProposedNickname).
	FormerNickname string `json:"formerNickname,omitempty"`
}

// Skipped is an entry that Import could not add, and the reason as a sentence.
type Skipped struct {
	Entry  Entry  `json:"entry"`
	Reason string `json:"reason"`
}

// Import adds the entries of graphs that are not configured, in one update: on an
// error it adds none. A nickname that is taken gets a number, and one that
// CheckProposedNickname refuses otherwise is replaced by one made from the name.
func (s *Store) Import(ctx context.Context, entries []Entry) (ImportReport, error) {
	return s.importAll(ctx, entries, false)
}

// ImportFile is ReadOfficial and Import in one. If WriteRescue made the file, a graph
// that is configured gets its token, which was granted to replace the present one.
// choose returns the entries to import and those to skip; nil imports all.
func (s *Store) ImportFile(ctx context.Context, path string, choose func([]Entry) ([]Entry, []Skipped)) (ImportReport, []Problem, error) {
	d, err := openOfficial(path)
	if err != nil {
		return ImportReport{}, nil, err
	}
	c, _ := d.config()
	entries, skipped := c.Entries, []Skipped(nil)
	if choose != nil {
		entries, skipped = choose(entries)
	}
	report, err := s.importAll(ctx, entries, string(d.root.Get(rescuedKey)) == "true")
	if err == nil {
		for _, each := range skipped {
			report.Skipped = append(report.Skipped, Skipped{shownEntry(each.Entry), each.Reason})
		}
	}
	return report, c.Problems, err
}

func (s *Store) importAll(ctx context.Context, entries []Entry, rescued bool) (ImportReport, error) {
	report := ImportReport{Added: []Added{}, Renewed: []Entry{}, Present: []Entry{}, Skipped: []Skipped{}}
	err := s.update(ctx, func(d *document) error {
		for _, entry := range entries {
			if err := d.importEntry(entry, rescued, &report); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return ImportReport{}, err
	}
	return report, nil
}

// shownEntry returns an entry of unchecked text as it can be shown.
func shownEntry(entry Entry) Entry {
	entry.Name, entry.Nickname, entry.Type = shown(entry.Name), shown(entry.Nickname), localapi.GraphType(shown(string(entry.Type)))
	return entry
}

// importEntry imports one entry and reports what became of it.
func (d *document) importEntry(entry Entry, rescued bool, report *ImportReport) error {
	skip := func(reason string) {
		report.Skipped = append(report.Skipped, Skipped{shownEntry(entry), reason})
	}
	checked, err := checkEntry(entry)
	if err != nil {
		if e, ok := problem.As(err); ok {
			skip(e.Message)
			return nil
		}
		return err
	}
	entry = checked
	c, _ := d.config()
	if present, ok := c.FindGraph(entry.Graph()); ok {
		if !rescued || present.Token == entry.Token {
			report.Present = append(report.Present, present)
			return nil
		}
		present.Token, present.AccessLevel, present.LastKnownTokenStatus = entry.Token, entry.AccessLevel, entry.LastKnownTokenStatus
		report.Renewed = append(report.Renewed, present)
		return d.save(present)
	}
	if other, ok := c.FindGraph(otherType(entry.Graph())); ok {
		skip(fmt.Sprintf("The %s graph of the same name is configured as %s, and only one of the two can be.", other.Type, quoted(other.Nickname)))
		return nil
	}
	if waiting, ok := (Config{Entries: c.WithoutToken}).FindGraph(entry.Graph()); ok {
		entry.Nickname, entry.Disabled, entry.History = waiting.Nickname, waiting.Disabled, waiting.History
		report.Renewed = append(report.Renewed, entry)
		return d.save(entry)
	}
	former := entry.Nickname
	// One that is merely taken gets a number; one that is not fit goes.
	if err := c.CheckNickname(entry.Graph(), former); err == nil && c.CheckProposedNickname(entry.Graph(), former) != nil || !Plain(former) {
		entry.Nickname = localapi.DefaultNickname(entry.Name)
	}
	entry.Nickname = c.UniqueNickname(entry.Nickname)
	if err := d.save(entry); err != nil {
		return err
	}
	added := Added{Entry: entry}
	if entry.Nickname != former {
		added.FormerNickname = former
	}
	report.Added = append(report.Added, added)
	return nil
}

// otherType returns the graph of the same name and the other type.
func otherType(g localapi.Graph) localapi.Graph {
	if g.Type == localapi.Offline {
		return localapi.Graph{Name: g.Name, Type: localapi.Hosted}
	}
	return localapi.Graph{Name: g.Name, Type: localapi.Offline}
}

// rescuedKey marks a file that WriteRescue made.
const rescuedKey = "rescued"

// What stands around the random part of the name of a file that WriteRescue made.
const rescuePrefix, rescueSuffix = "roam-mcp-rescued-", ".json"

// WriteRescue writes an entry that could not be saved to a new file in dir, so that a
// granted token is not lost. The file has mode 0600 and the form of the configuration
// file, for ImportFile. The folder is created if it is missing. Only an entry without
// a token is refused.
func WriteRescue(dir string, entry Entry) (path string, err error) {
	if entry.Token.IsZero() {
		return "", &problem.Error{Code: CodeEntryInvalid, Message: "There is no token to rescue.", Place: &problem.Place{Path: dir}}
	}
	if entry.Nickname == "" {
		entry.Nickname = localapi.DefaultNickname(entry.Name)
	}
	entry.Type = entry.Graph().Type
	d := newDocument()
	d.root = d.root.With(rescuedKey, true)
	d.graphs = append(d.graphs, newElement(entry))
	text, err := d.encode()
	if err != nil {
		return "", unwritable(dir, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", unwritable(dir, err)
	}
	if path, err = files.WriteNew(dir, rescuePrefix+"*"+rescueSuffix, text); err != nil {
		return "", unwritable(filepath.Join(dir, "roam-mcp-rescued.json"), err)
	}
	return path, nil
}

// IsRescue reports whether a file of that name was made by WriteRescue.
func IsRescue(name string) bool {
	return strings.HasPrefix(name, rescuePrefix) && strings.HasSuffix(name, rescueSuffix)
}
