package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"roam-mcp/configstore"
	"roam-mcp/internal/files"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// IDs of the checks of what the program keeps.
const (
	idJournal = "journal"
	idClock   = "clock"
	idFolders = "folders"
)

const (
	// journalSlack is how much larger than it may be a journal is before it is told of: it
	// is tidied while nobody writes, and keeps the last day in any case.
	journalSlack = 1.25
	// clockSlack is how far in the future a time may be.
	clockSlack = 2 * time.Minute
	// madeIn is a time before which no clock can be right.
	madeIn = 2026
)

// journal looks at the journal of writes: that it can be read, and its size.
func (p Ports) journal(ctx context.Context, facts *Facts) []Finding {
	if p.Journal == nil {
		return []Finding{{Level: Note, Found: "there is none in this world"}}
	}
	size, err := p.Journal.Size(ctx)
	if err != nil {
		told := problem.FromError(err)
		return []Finding{{Level: Failed, Found: told.Message, Why: "Agents can add, and can't change or delete: nothing is changed that is not recorded first.", Todo: told.Hint, Details: detailsOf(told)}}
	}
	found := p.notices(ctx, facts)
	keep := facts.Config.History.OrDefault()
	most := int64(keep.Megabytes) << 20
	switch place := p.path(p.JournalFolder); {
	case facts.ConfigErr == nil && float64(size.Bytes) > journalSlack*float64(most):
		found = append(found, Finding{Level: Warning, Found: fmt.Sprintf("%s in %s; it is to hold %s", humanize.IBytes(uint64(size.Bytes)), place, humanize.IBytes(uint64(most))), Why: "It was not tidied lately, which servers do when nobody writes.",
			Todo: problem.Say("Tidy it: %s", problem.Run("doctor").With("--fix")),
			Fix:  &Fix{Label: "tidy it", Done: "The journal holds what it is to hold.", Safe: true, Do: p.Journal.Tidy}})
	case size.Calls == 0:
		found = append(found, Finding{Level: OK, Found: "nothing is recorded yet; it will be in " + place})
	default:
		found = append(found, Finding{Level: OK, Found: fmt.Sprintf("%s, %s in %s", plural(size.Calls, "call"), humanize.IBytes(uint64(size.Bytes)), place)})
	}
	return found
}

// notices returns what the journal itself has to tell.
func (p Ports) notices(ctx context.Context, facts *Facts) (found []Finding) {
	notices, err := p.Journal.Notices(ctx)
	if err != nil {
		return []Finding{{Level: Warning, Found: "its notices can't be read: " + err.Error()}}
	}
	for _, n := range notices {
		if n.Code == history.CodeTextsUnsaid {
			found = append(found, textsUnsaid(n.Graph, facts)...)
			continue
		}
		f := Finding{Level: Note, Found: n.Message, Todo: n.Hint, Details: []problem.Detail{{Name: "code", Value: string(n.Code)}}}
		if n.Code != history.CodeTakenOver { // whose hint is that command
			f.Todo = f.Todo.Then("It is told until you have read it with: %s", problem.Run("history"))
		}
		f.Fix = &Fix{Label: "do not tell it again", Done: "It is not told again.", Do: p.Journal.DismissNotices}
		if n.Code == history.CodeDamaged || n.Code == history.CodeDeleted || n.Code == history.CodeRestored {
			f.Level, f.Why = Warning, "What was recorded before can't be looked at or taken back."
		}
		found = append(found, f)
	}
	return found
}

// textsUnsaid says that no texts of a graph are kept, because Roam does not say whether it
// is encrypted; nothing where the configuration says by now whether they are.
func textsUnsaid(g history.Graph, facts *Facts) []Finding {
	graph := localapi.Graph{Name: g.Name, Type: localapi.GraphType(g.Type)}
	entry, _ := facts.Config.FindGraph(graph)
	if !facts.Config.TextsUnsaid(graph) {
		return nil
	}
	n := history.TextsUnsaid(g, entry.Nickname)
	return []Finding{{Level: Note, Subject: entry.Nickname, Found: n.Message, Todo: n.Hint, Details: []problem.Detail{{Name: "code", Value: string(n.Code)}}}}
}

// clock compares the clock with times that have been.
func (p Ports) clock(ctx context.Context, _ *Facts) []Finding {
	now := p.now()
	const why = "The daily page of today, the times in the history and what it keeps go by the clock."
	if now.Year() < madeIn {
		return []Finding{{Level: Warning, Found: "it says " + now.Format(time.DateTime), Why: why, Todo: problem.Say("Set the clock of this computer.")}}
	}
	latest, what := p.latest(ctx)
	if latest.Sub(now) > clockSlack {
		return []Finding{{Level: Warning, Found: fmt.Sprintf("it says %s, and %s is of %s", now.Format(time.DateTime), what, latest.In(now.Location()).Format(time.DateTime)), Why: why,
			Todo: problem.Say("Set the clock of this computer. If it is right now, it was not then, and this ends by itself with the next change.")}}
	}
	zone, _ := now.Zone()
	return []Finding{{Level: OK, Found: now.Format(time.DateTime) + " " + zone}}
}

// latest returns the latest time that was noted anywhere, and where.
func (p Ports) latest(ctx context.Context) (latest time.Time, what string) {
	for _, path := range []string{p.Graphs.Path(), p.PortFile.Path, p.Program.Path} {
		if info, err := os.Stat(path); err == nil && info.ModTime().After(latest) {
			latest, what = info.ModTime(), p.path(path)
		}
	}
	if p.Journal == nil {
		return latest, what
	}
	page, err := p.Journal.Calls(ctx, history.Filter{Limit: 1}) // a failure is told by its own check
	if err == nil && len(page.Calls) == 1 && page.Calls[0].At.After(latest) {
		latest, what = page.Calls[0].At, "the last call in the history"
	}
	return latest, what
}

// folders looks whether what the program writes can be written, and who can read it.
func (p Ports) folders(ctx context.Context, facts *Facts) []Finding {
	var found []Finding
	if facts.ConfigErr == nil && facts.Config.Exists {
		if err := p.Graphs.CheckWritable(ctx); err != nil {
			told := problem.FromError(err)
			found = append(found, Finding{Subject: "Configuration", Level: Failed, Found: told.Message, Why: "No graph can be connected or changed.", Todo: told.Hint, Details: detailsOf(told)})
		}
	}
	for _, each := range p.Private {
		if f, told := p.private(each); told {
			f.Subject = each.Name
			found = append(found, f)
		}
	}
	return found
}

// private says what is wrong with one folder or file.
func (p Ports) private(each Private) (f Finding, told bool) {
	info, err := os.Stat(each.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !each.Folder:
		return f, false
	case errors.Is(err, fs.ErrNotExist):
		return p.missing(each)
	case err != nil:
		return p.unusable(each, fmt.Sprintf("%s can't be looked at: %v", p.path(each.Path), cause(err))), true
	case each.Folder != info.IsDir():
		what := "is a folder"
		if each.Folder {
			what = "is no folder"
		}
		return p.unusable(each, p.path(each.Path)+" "+what), true
	case files.HasOtherOwner(info):
		return p.unusable(each, p.path(each.Path)+" belongs to another user"), true
	}
	if each.Folder {
		if err := writable(each.Path); err != nil {
			return p.unusable(each, fmt.Sprintf("%s can't be written: %v", p.path(each.Path), cause(err))), true
		}
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 && !each.Shared {
		return Finding{Level: Warning, Found: fmt.Sprintf("other users can read %s (mode %03o)", p.path(each.Path), mode), Why: "It holds what is yours alone.",
			Todo: problem.Say("Close it: %s", problem.CommandLine{"chmod", "go=", each.Path}),
			Fix: &Fix{Label: "close it to others", Done: p.path(each.Path) + " is now yours alone to read.", Safe: true, Do: func(context.Context) error {
				return os.Chmod(each.Path, mode&^0o077)
			}}}, true
	}
	return f, false
}

// missing says whether a folder that is not there could be made.
func (p Ports) missing(each Private) (Finding, bool) {
	parent := filepath.Dir(each.Path)
	for !exists(parent) && filepath.Dir(parent) != parent {
		parent = filepath.Dir(parent)
	}
	info, err := os.Stat(parent)
	switch {
	case err != nil:
		return p.unusable(each, fmt.Sprintf("%s can't be looked at: %v", p.path(parent), cause(err))), true
	case !info.IsDir():
		return p.unusable(each, fmt.Sprintf("%s can't be made: %s is no folder", p.path(each.Path), p.path(parent))), true
	}
	if err := writable(parent); err != nil {
		return p.unusable(each, fmt.Sprintf("%s can't be made: %v", p.path(each.Path), cause(err))), true
	}
	return Finding{}, false
}

func (p Ports) unusable(each Private, found string) Finding {
	return Finding{Level: Failed, Found: found, Why: each.Why, Todo: problem.Say("Check its owner and its mode, or move away what is in its place.")}
}

// writable makes a file in a folder and removes it.
func writable(folder string) error {
	file, err := os.CreateTemp(folder, ".roam-mcp-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// cause returns what the system says, without the path.
func cause(err error) error {
	if place := (*fs.PathError)(nil); errors.As(err, &place) {
		return place.Err
	}
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// rescuedFiles returns the files of granted tokens that could not be saved.
func (p Ports) rescuedFiles() (files []string, err error) {
	if p.RescueFolder == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(p.RescueFolder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cause(err)
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() && configstore.IsRescue(entry.Name()) {
			files = append(files, filepath.Join(p.RescueFolder, entry.Name()))
		}
	}
	slices.Sort(files)
	return files, nil
}

// path returns a path with "~" for the home folder.
func (p Ports) path(path string) string { return textsafe.ShortPath(p.Home, path) }

// plural returns a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return humanize.Comma(int64(n)) + " " + noun + "s"
}

// shortly returns a duration as people read it: "38 ms", "1.2 s".
func shortly(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", max(d.Milliseconds(), 1))
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func quoted(s string) string { return "“" + s + "”" }
