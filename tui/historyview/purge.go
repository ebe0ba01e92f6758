package historyview

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/tui/kit"
)

// Purge selects what to forget, whole records or their texts, as a person writes it.
type Purge struct {
	Graph  string // the nickname or name of one; "": of all
	Before string // as Query.Since; "": of any time
	Texts  bool   // the texts alone
	All    bool   // everything; nothing else is chosen then
}

// Select returns what goes.
func (p Purge) Select(config configstore.Config, now time.Time) (history.Purge, error) {
	purge := history.Purge{Texts: p.Texts, All: p.All}
	if p.Graph != "" {
		purge.Graphs = graphsNamed(p.Graph, config)
	}
	if p.Before != "" {
		m, err := history.ParseMoment(p.Before, now)
		if err == nil && m.Number > 0 {
			err = errors.New("a number of a change is no time here")
		}
		if err != nil {
			return history.Purge{}, fmt.Errorf("--before: %w", err)
		}
		purge.Before = m.From
	}
	return purge, nil
}

// CallsAndVersions says how many there are; "" for none.
func CallsAndVersions(calls, versions int) string {
	var said []string
	if calls > 0 {
		said = append(said, kit.Plural(calls, "call"))
	}
	if versions > 0 {
		said = append(said, kit.Plural(versions, "version")+" of notes")
	}
	return strings.Join(said, " and ")
}

// Question asks whether so much, as CallsAndVersions says it, is to be forgotten.
func (p Purge) Question(count string) string {
	if p.All {
		return fmt.Sprintf("Forget all that is recorded, %s? This can't be taken back.", cmp.Or(count, "in files that can't be read"))
	}
	what := "Forget " + count
	if p.Texts {
		what = "Forget the texts of " + count
	}
	if p.Graph != "" {
		what += " in " + p.Graph
	}
	if p.Before != "" {
		what += ", older than " + p.Before
	}
	return kit.Sanitize(what) + "? This can't be taken back."
}

// Done says what was forgotten, and what is beyond that, a sentence each.
func (p Purge) Done(purged history.Purged) []string {
	said := []string{"Nothing was forgotten."}
	if purged.Calls > 0 || purged.Versions > 0 || purged.Bytes > 0 {
		what := cmp.Or(CallsAndVersions(purged.Calls, purged.Versions), kit.Plural(0, "call"))
		if p.Texts {
			what = "the texts of " + what
		}
		said = []string{"Forgotten: " + what + "."}
	}
	if purged.Bytes > 0 {
		said = append(said, fmt.Sprintf("The files are %s smaller.", humanize.Bytes(uint64(purged.Bytes))))
	}
	if purged.UnderWay > 0 {
		said = append(said, fmt.Sprintf("Still under way, and left: %s.", kit.Plural(purged.UnderWay, "call")))
	}
	if purged.Waiting {
		said = append(said, "Another program is reading the journal, so that bytes of the texts stay in its files until that has ended and this is run again.")
	}
	for _, path := range purged.Damaged {
		said = append(said, fmt.Sprintf("%s is damaged and may hold texts still; --all removes it.", path))
	}
	return append(said, "Backups and snapshots of the disk are beyond this: what they hold stays there.")
}
