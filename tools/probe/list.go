package main

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

	"roam-mcp/internal/files"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
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
	Words  []string       `json:"words"` // of all texts

	path  string
	saved int          // how many entries are on disk
	lock  *flock.Flock // held for as long as the process of the probe lives
}

func newList(folder string, graph localapi.Graph, run string) (*list, error) {
	l := &list{Graph: graph, Run: run, path: filepath.Join(folder, listPrefix+run+listSuffix)}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, unlistable(err)
	}
	if held, err := l.hold(); err != nil || !held {
		return nil, unlistable(errors.Join(err, fmt.Errorf("lock %s", l.path)))
	}
	return l, l.add(nil, nil, run, TitleStart)
}

// hold locks the list, and reports whether nobody else has.
func (l *list) hold() (held bool, err error) {
	if l.lock, err = files.Lock(l.path + ".lock"); err != nil {
		return false, err
	}
	return l.lock.TryLock()
}

// add enters uids, titles and the words of texts. When it returns nil they are on disk.
func (l *list) add(uids, titles []string, texts ...string) error {
	l.UIDs, l.Titles = appendNew(l.UIDs, uids), appendNew(l.Titles, titles)
	for _, text := range slices.Concat(titles, texts) {
		l.Words = appendNew(l.Words, wordsOf(text))
	}
	entries := len(l.UIDs) + len(l.Titles) + len(l.Words)
	if entries == l.saved {
		return nil
	}
	data, err := json.Marshal(l)
	if err == nil {
		err = files.ReplaceAtomically(l.path, data)
	}
	if err != nil {
		return unlistable(err)
	}
	l.saved = entries
	return nil
}

func appendNew(all, more []string) []string {
	for _, each := range more {
		if !slices.Contains(all, each) {
			all = append(all, each)
		}
	}
	return all
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

func (l *list) remove() error {
	err := os.Remove(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	_ = os.Remove(l.path + ".lock") // it holds nothing
	return errors.Join(err, l.lock.Close())
}

// leftLists returns, locked, the lists of a graph whose processes are gone.
func leftLists(folder string, graph localapi.Graph) (lists []*list, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unlistable(err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), listPrefix) || !strings.HasSuffix(entry.Name(), listSuffix) {
			continue
		}
		l := &list{path: filepath.Join(folder, entry.Name())}
		data, err := files.ReadOwn(l.path, maxList)
		if err != nil || json.Unmarshal(data, l) != nil || l.Graph != graph || !l.valid() {
			continue
		}
		if held, err := l.hold(); err == nil && held {
			lists = append(lists, l)
		} else if l.lock != nil {
			_ = l.lock.Close() // it is another's
		}
	}
	return lists, nil
}

// valid reports whether a list that was read names only what a probe can have made.
func (l *list) valid() bool {
	return len(l.Run) == runLength && strings.Trim(l.Run, runLetters) == "" &&
		!slices.ContainsFunc(l.Titles, func(title string) bool { return !strings.HasPrefix(title, TitleStart+l.Run) }) &&
		!slices.ContainsFunc(l.UIDs, func(uid string) bool { return !roamtext.ValidUID(uid) })
}

// has reports whether a uid is one that was given to something of this run.
func (l *list) has(uid string) bool { return slices.Contains(l.UIDs, uid) }

// ours reports whether a text is one that this run wrote, or what Roam may have made of
// it: it has the run's own word, and no word that the run did not write. A text without
// any word says nothing, and nobody misses it.
func (l *list) ours(text string) bool {
	words := wordsOf(text)
	foreign := slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(l.Words, word) })
	return len(words) == 0 || slices.Contains(words, l.Run) && !foreign || text == "{{[[table]]}}"
}

// wordsOf parts a text into runs of letters, digits, and all other characters beyond ASCII
// but the blank that does not break.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r == '\u00a0' || r == utf8.RuneError || r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
