package sandbox

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/store"
)

// NewGraph is a generated graph: an empty one, or one with many blocks, to try
// clients on large graphs.
type NewGraph struct {
	Graph  localapi.Graph
	Blocks int // 0 to MaxNewBlocks
}

// InMemory is a graph that is made of datoms, in any order, and never on disk.
type InMemory struct {
	Graph  localapi.Graph
	Datoms iter.Seq2[graphdb.Datom, error]
}

// MaxNewBlocks is the most that a NewGraph may have.
const MaxNewBlocks = 1_000_000

const (
	blocksOnPage     = 20
	blocksOnBig      = 1_000 // on the first page, of a graph that has as many
	bigPageTitle     = "A large page"
	generatedTopics  = 40
	generatedEveryMS = int64(time.Minute / time.Millisecond)
)

// ParseNewGraph reads "NAME", and after it "offline" or "hosted" and a number of
// blocks, each at most once and in either order: "NAME:offline:100000".
func ParseNewGraph(text string) (NewGraph, error) {
	name, rest, more := strings.Cut(text, ":")
	made := NewGraph{Graph: localapi.Graph{Name: name}}
	if !localapi.ValidGraphName(name) {
		return made, fmt.Errorf("%q can't be a graph's name: it has letters, digits, - and _ only", name)
	}
	counted := false
	for more {
		var part string
		part, rest, more = strings.Cut(rest, ":")
		kind, noKind := localapi.ParseGraphType(part)
		blocks, noNumber := strconv.Atoi(part)
		switch {
		case noKind == nil && part != "" && made.Graph.Type == "":
			made.Graph.Type = kind
		case noNumber == nil && blocks >= 0 && blocks <= MaxNewBlocks && !counted:
			made.Blocks, counted = blocks, true
		default:
			return made, fmt.Errorf("%q does not say what graph to make: it is NAME, and after colons hosted or offline, and a number of blocks up to %d", text, MaxNewBlocks)
		}
	}
	made.Graph.Type = cmp.Or(made.Graph.Type, localapi.Hosted)
	return made, nil
}

// generate adds a generated graph. An existing one is kept.
func (l *library) generate(ctx context.Context, folder *store.Folder, wanted NewGraph, options Options) error {
	if there, err := l.find(wanted.Graph); err == nil {
		options.Log.Warn("the graph is there already and is kept as it is", "graph", wanted.Graph.Name)
		there.open.Store(true)
		return nil
	}
	if b := l.brokenOne(wanted.Graph); b != nil {
		return b
	}
	reader, writer := io.Pipe()
	go func() {
		buffered := bufio.NewWriter(writer)
		err := writeGenerated(buffered, min(max(0, wanted.Blocks), MaxNewBlocks), options.Now())
		if err == nil {
			err = buffered.Flush()
		}
		_ = writer.CloseWithError(err) // a nil error is the end of the text
	}()
	made, err := createFromExport(ctx, folder, wanted.Graph, reader, options)
	_ = reader.Close() // so that the writer ends where nobody reads any more
	if err != nil {
		return fmt.Errorf("make the graph %s: %w", wanted.Graph.Name, err)
	}
	l.add(made, true)
	return nil
}

// generated is a page or a block of a Roam JSON export.
type generated struct {
	Title    string      `json:"title,omitempty"`
	String   *string     `json:"string,omitempty"`
	UID      string      `json:"uid"`
	Created  int64       `json:"create-time"`
	Edited   int64       `json:"edit-time"`
	Children []generated `json:"children,omitempty"`
}

// writeGenerated writes an export with a number of blocks, a page at a time. It is
// always the same but for the times.
func writeGenerated(out io.Writer, blocks int, now time.Time) error {
	encoder := json.NewEncoder(out)
	separator := "["
	write := func(page generated) error {
		if _, err := io.WriteString(out, separator); err != nil {
			return err
		}
		separator = ","
		return encoder.Encode(page)
	}
	for n := range min(blocks, generatedTopics) { // what the blocks refer to
		at := now.UnixMilli() - int64(blocks)*generatedEveryMS
		if err := write(generated{Title: topic(n), UID: fmt.Sprintf("topic-%d", n), Created: at, Edited: at}); err != nil {
			return err
		}
	}
	for first := 0; first < blocks; {
		title, count := "Notes "+strconv.Itoa(first/blocksOnPage), blocksOnPage
		if first == 0 && blocks >= blocksOnBig {
			title, count = bigPageTitle, blocksOnBig
		}
		count = min(count, blocks-first)
		if err := write(generatedPage(title, first, count, blocks, now)); err != nil {
			return err
		}
		first += count
	}
	end := "]"
	if blocks == 0 {
		end = "[]"
	}
	_, err := io.WriteString(out, end)
	return err
}

func topic(n int) string { return fmt.Sprintf("Topic %d", n%generatedTopics) }

func generatedPage(title string, first, count, blocks int, now time.Time) generated {
	at := func(n int) int64 { return now.UnixMilli() - int64(blocks-n)*generatedEveryMS }
	page := generated{Title: title, UID: fmt.Sprintf("page-%d", first), Created: at(first), Edited: at(first)}
	for n := first; n < first+count; n++ {
		text := generatedText(n)
		block := generated{String: &text, UID: fmt.Sprintf("made-%d", n), Created: at(n), Edited: at(n)}
		// Every fourth block stands at the top, the others below it.
		if last := len(page.Children) - 1; n%4 != 0 && last >= 0 {
			page.Children[last].Children = append(page.Children[last].Children, block)
		} else {
			page.Children = append(page.Children, block)
		}
	}
	return page
}

func generatedText(n int) string {
	text := fmt.Sprintf("Note %d on [[%s]]", n, topic(n*7))
	switch {
	case n%11 == 0:
		return "{{[[TODO]]}} " + text
	case n%13 == 0 && n > 0:
		return text + fmt.Sprintf(", after ((made-%d))", n/2)
	}
	return text
}
