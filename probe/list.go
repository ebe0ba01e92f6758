package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"roam-mcp/atomicfile"
	"roam-mcp/graphdb/roamtext"
	"roam-mcp/internal/regularfile"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// CodeList reports that the list of what a probe makes can't be kept.
const CodeList problem.Code = "PROBE_LIST"

const (
	listPrefix, listSuffix = "made-", ".json"
	maxList                = 1 << 20 // bytes

	// TitleStart begins the title of every page that a probe makes.
	TitleStart = "roam-mcp" + " probe "
)

// list is what one probe has made or is about to make. It is on disk before anything of it
// is in the graph, so that another process can remove what a killed one has left.
type list struct {
	Graph  localapi.Graph `json:"graph"`
	Run    string         `json:"run"` // random, in every title and text
	UIDs   []string       `json:"uids"`
	Titles []string       `json:"titles"`
	Words  []string       `json:"words"` // of all texts; characters beyond ASCII are words of their own

	path string
	lock *flock.Flock
	uids map[string]int // place in UIDs
	word map[string]bool
}

// newList makes the list of a run, and locks it for as long as this process lives.
func newList(folder string, graph localapi.Graph, run string) (*list, error) {
	l := &list{Graph: graph, Run: run, path: filepath.Join(folder, listPrefix+run+listSuffix)}
	l.index()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, unlistable(err)
	}
	if held, err := l.hold(); err != nil || !held {
		return nil, unlistable(errors.Join(err, fmt.Errorf("lock %s", l.path)))
	}
	return l, l.add(nil, nil, run, TitleStart)
}

// hold locks the list, and reports whether nobody else has.
func (l *list) hold() (bool, error) {
	var err error
	if l.lock, err = regularfile.Lock(l.path + ".lock"); err != nil {
		return false, err
	}
	return l.lock.TryLock()
}

func (l *list) index() {
	l.uids, l.word = map[string]int{}, map[string]bool{}
	for i, uid := range l.UIDs {
		l.uids[uid] = i
	}
	for _, word := range l.Words {
		l.word[word] = true
	}
}

// add enters uids, titles and the words of texts. When it returns nil they are on disk.
func (l *list) add(uids, titles []string, texts ...string) error {
	changed := false
	for _, uid := range uids {
		if _, there := l.uids[uid]; !there {
			l.uids[uid] = len(l.UIDs)
			l.UIDs, changed = append(l.UIDs, uid), true
		}
	}
	for _, title := range titles {
		if !slices.Contains(l.Titles, title) {
			l.Titles, changed = append(l.Titles, title), true
		}
		texts = append(texts, title)
	}
	for _, text := range texts {
		for _, word := range l.wordsOf(text) {
			if !l.word[word] {
				l.word[word] = true
				l.Words, changed = append(l.Words, word), true
			}
		}
	}
	if !changed {
		return nil
	}
	data, err := json.Marshal(l)
	if err == nil {
		err = atomicfile.Write(l.path, data)
	}
	return unlistable(err)
}

func unlistable(err error) error {
	if err == nil {
		return nil
	}
	return &problem.Error{
		Code: CodeList, Message: "What a probe makes must be on disk before, and it can't be written there: " + problem.Sentence(err.Error()),
		Hint: problem.Say("Check the rights of that folder, and whether the disk is full."), Err: err,
	}
}

// remove forgets the list.
func (l *list) remove() error {
	err := os.Remove(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	_ = os.Remove(l.path + ".lock") // it holds nothing
	return errors.Join(err, l.lock.Close())
}

// release lets other processes take over what is left.
func (l *list) release() { _ = l.lock.Close() }

// leftLists returns, locked, the lists of a graph whose processes are gone.
func leftLists(folder string, graph localapi.Graph) (lists []*list, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unlistable(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, listPrefix) || !strings.HasSuffix(name, listSuffix) {
			continue
		}
		l := &list{path: filepath.Join(folder, name)}
		data, readErr := regularfile.Read(l.path, maxList)
		if readErr != nil || json.Unmarshal(data, l) != nil || l.Graph != graph || !l.valid() {
			continue
		}
		if held, lockErr := l.hold(); lockErr != nil || !held {
			l.release()
			continue
		}
		l.index()
		lists = append(lists, l)
	}
	return lists, nil
}

// valid reports whether a list that was read names only what a probe can have made.
func (l *list) valid() bool {
	if len(l.Run) != runLength || strings.Trim(l.Run, runLetters) != "" {
		return false
	}
	return !slices.ContainsFunc(l.Titles, func(title string) bool { return !strings.HasPrefix(title, TitleStart+l.Run) }) &&
		!slices.ContainsFunc(l.UIDs, func(uid string) bool { return !roamtext.ValidUID(uid) })
}

// has reports whether a uid is one that was given to something of this run.
func (l *list) has(uid string) bool {
	_, there := l.uids[uid]
	return there
}

// ours reports whether a text is one that this run wrote, or what Roam may have made of
// it: it has the run's own word, and no word that the run did not write. A text without
// any word says nothing, and nobody misses it.
func (l *list) ours(text string) bool {
	words := l.wordsOf(text)
	return len(words) == 0 || slices.Contains(words, l.Run) && l.knows(words) || text == "{{[[table]]}}"
}

func (l *list) knows(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !l.word[word] })
}

// wordsOf parts a text into runs of ASCII letters and digits, and characters beyond ASCII.
// A uid of the list in it is no word.
func (l *list) wordsOf(text string) (words []string) {
	if strings.Contains(text, "((") {
		for uid := range l.uids {
			text = strings.ReplaceAll(text, "(("+uid+"))", " ")
		}
	}
	start := -1
	for i, r := range text {
		letter := r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
		if letter && start < 0 {
			start = i
		}
		if !letter && start >= 0 {
			words, start = append(words, text[start:i]), -1
		}
		if r >= utf8.RuneSelf && r != utf8.RuneError && r != '\u00a0' {
			words = append(words, string(r))
		}
	}
	if start >= 0 {
		words = append(words, text[start:])
	}
	slices.Sort(words)
	return slices.Compact(words)
}
