package outline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/rawjson"
)

// Imported counts what an import made.
type Imported struct {
	Pages     int // pages of the export
	Blocks    int
	Mentioned int // pages made with ImportOptions.MakeMissing
}

// ImportOptions bound an import.
type ImportOptions struct {
	MaxBytes      int64 // 0: 1 GiB
	MaxPageBytes  int64 // of one page, as JSON; 0: 64 MiB
	MaxPageBlocks int   // of one page; 0: 250,000
	MaxDatoms     int   // of the graph; 0: graphdb.MaxImport
	// MakeMissing makes the pages that texts mention and neither export nor
	// graph has. Without it the graph holds what the export held, and such a
	// page comes into being when a block that mentions it is next written.
	MakeMissing bool
	// Stamp gives those pages and blocks times of the author that have neither
	// times nor uids, because they were never in a graph. Without it they have none.
	Stamp bool
	// Report is told what could not be imported as it is, a sentence each; may be nil.
	Report func(string)
}

const (
	defaultImportBytes = 1 << 30
	defaultPageBytes   = 64 << 20
	defaultPageBlocks  = 250_000
)

func (o ImportOptions) withDefaults() ImportOptions {
	o.MaxBytes = cmp.Or(max(0, o.MaxBytes), defaultImportBytes)
	o.MaxPageBytes = cmp.Or(max(0, o.MaxPageBytes), defaultPageBytes)
	o.MaxPageBlocks = cmp.Or(max(0, o.MaxPageBlocks), defaultPageBlocks)
	o.MaxDatoms = cmp.Or(max(0, o.MaxDatoms), graphdb.MaxImport)
	return o
}

// ImportJSON reads a Roam JSON export into the graph (LOCAL_API.md
// 9.11): an array of pages, of whose fields only title is needed, and only
// string of a block's. Uids, times, users, headings, alignment, view types and
// props are kept; a missing uid is made. References come from the texts, not from
// the export's own lists. The pages are read one at a time.
//
// What the graph can't hold as it is does not end the import, and is reported: a
// page without a title is named Untitled, one whose title is taken adds its blocks
// to the page that has it, a uid that is taken is replaced, blocks below MaxDepth
// stand at it, and a field of a wrong type is left out. What is not JSON to its end
// is an error, which names the page and the byte where reading stopped, and so is
// what passes one of the options' bounds.
func (w *Writer) ImportJSON(ctx context.Context, r io.Reader, options ImportOptions) (Imported, error) {
	options = options.withDefaults()
	source := &sourceReader{Reader: r}
	limited := &io.LimitedReader{R: source, N: options.MaxBytes + 1}
	if err := w.numberAll(); err != nil { // since it writes children without w.insert
		return Imported{}, err
	}
	im := &importer{w: w, users: map[string]graphdb.EID{}, options: options, source: source}
	dec := json.NewDecoder(limited)
	if err := im.pages(ctx, dec); err != nil {
		switch {
		case ctx.Err() != nil:
			err = ctx.Err()
		case source.err != nil:
			err = source.err
		case limited.N <= 0:
			err = invalid("The export is larger than %d bytes.", options.MaxBytes)
		}
		return Imported{}, err
	}
	if err := im.nameUntitled(); err != nil {
		return Imported{}, err
	}
	before := w.tx.Count(graphdb.NodeTitle)
	if err := im.link(ctx, options.MakeMissing); err != nil {
		return Imported{}, err
	}
	im.done.Mentioned = w.tx.Count(graphdb.NodeTitle) - before
	return im.done, nil
}

// sourceReader keeps the error of a source that fails, so that it is not taken
// for an error of the export.
type sourceReader struct {
	io.Reader
	err   error
	read  int64
	until int64 // how far may be read for now
}

var errPageTooLarge = errors.New("the page is too large")

func (r *sourceReader) Read(p []byte) (int, error) {
	if r.read >= r.until {
		return 0, errPageTooLarge
	}
	n, err := r.Reader.Read(p[:min(int64(len(p)), r.until-r.read)])
	r.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

type importer struct {
	w     *Writer
	users map[string]graphdb.EID
	made  []graphdb.EID
	done  Imported

	options  ImportOptions
	source   *sourceReader
	text     json.RawMessage // of the page that is read
	place    string          // of the page that is read, for reports
	untitled []untitledPage
}

// exported is a page or block of the export.
type exported struct {
	Title            string          `json:"title"`
	String           *string         `json:"string"`
	UID              string          `json:"uid"`
	Children         []exported      `json:"children"`
	CreateTime       *float64        `json:"create-time"`
	EditTime         *float64        `json:"edit-time"`
	CreateUser       *exportedUser   `json:":create/user"`
	EditUser         *exportedUser   `json:":edit/user"`
	Heading          *float64        `json:"heading"`
	Open             *bool           `json:"open"`
	TextAlign        string          `json:"text-align"`
	ChildrenViewType string          `json:":children/view-type"`
	PlainViewType    string          `json:"children-view-type"`
	BlockViewType    string          `json:":block/view-type"`
	Props            json.RawMessage `json:"props"`
	BlockProps       json.RawMessage `json:":block/props"`
	Emojis           json.RawMessage `json:"emojis"`
	EntEmojis        json.RawMessage `json:":ent/emojis"`
	Sidebar          *float64        `json:":page/sidebar"`
	LogID            *float64        `json:":log/id"`
}

type exportedUser struct {
	UID string `json:":user/uid"`
}

// pages reads the array.
func (im *importer) pages(ctx context.Context, dec *json.Decoder) error {
	im.source.until = im.options.MaxPageBytes
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return invalid("This is no Roam JSON export: it must start with a list of pages%s.", because(err))
	}
	for n := 1; dec.More(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := im.decode(dec)
		if errors.Is(err, errPageTooLarge) {
			return invalid("Page %d of the export is larger than %d MB, or has more than %d blocks.", n, im.options.MaxPageBytes>>20, im.options.MaxPageBlocks)
		}
		im.place = fmt.Sprintf("page %d of the export", n)
		if p.Title != "" {
			im.place += " (" + quoted(p.Title) + ")"
		}
		use, ok := im.mendable(err)
		if !ok {
			return invalid("Page %d of the export can't be read, near byte %d%s.", n, dec.InputOffset(), because(err))
		}
		if !use {
			continue
		}
		if err := im.page(p); err != nil {
			return fmt.Errorf("%s, before byte %d: %w", im.place, dec.InputOffset(), err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return invalid("The export ends early, at byte %d%s.", dec.InputOffset(), because(err))
	}
	im.source.until = math.MaxInt64
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return invalid("Something follows the list of pages, at byte %d.", dec.InputOffset())
	}
	return nil
}

// decode reads a page. How many blocks it has is counted before they are decoded,
// which takes a hundred times what an empty one takes as text.
func (im *importer) decode(dec *json.Decoder) (exported, error) {
	var p exported
	im.source.until = dec.InputOffset() + im.options.MaxPageBytes
	if err := dec.Decode(&im.text); err != nil {
		return p, err
	}
	if rawjson.CountElements(im.text) > im.options.MaxPageBlocks {
		return p, errPageTooLarge
	}
	im.source.until = dec.InputOffset() + im.options.MaxPageBytes // for what is between pages
	err := json.Unmarshal(im.text, &p)
	return p, err
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

func (im *importer) page(p exported) error {
	if there := PageByTitle(im.w.tx, p.Title); there != 0 && p.Title != "" {
		im.report("a page of this title is there already, so that its blocks follow those of that page")
		return im.children(there, there, []graphdb.EID{there}, p.Children)
	}
	day, daily := ParseDailyTitle(p.Title)
	if daily && p.UID == "" && ByUID(im.w.tx, DailyUID(day)) == 0 {
		p.UID = DailyUID(day)
	}
	e, err := im.entity(p)
	if err != nil {
		return err
	}
	values := map[graphdb.Attr]graphdb.Value{}
	if p.Title == "" {
		im.untitled = append(im.untitled, untitledPage{e, im.place})
	} else {
		values[graphdb.NodeTitle] = graphdb.StringValue(p.Title)
	}
	if daily {
		values[graphdb.LogID] = logID(day)
		if n, ok := whole(p.LogID); ok {
			values[graphdb.LogID] = graphdb.IntValue(n)
		}
	}
	if n, ok := whole(p.Sidebar); ok {
		values[graphdb.PageSidebar] = graphdb.IntValue(n)
	}
	if err := im.w.tx.SetAll(e, values); err != nil {
		return err
	}
	im.done.Pages++
	return im.children(e, e, []graphdb.EID{e}, p.Children)
}

// children makes the blocks below an entity whose line of ancestors, itself
// included, is given.
func (im *importer) children(page, parent graphdb.EID, line []graphdb.EID, blocks []exported) error {
	first := len(im.w.tx.Refs(parent, graphdb.BlockChildren))
	for i, b := range im.atMost(blocks, len(line)) {
		e, err := im.block(b)
		if err != nil {
			return err
		}
		if err := im.w.tx.Set(parent, graphdb.BlockChildren, graphdb.RefValue(e)); err != nil {
			return err
		}
		if err := im.w.tx.Set(e, graphdb.BlockOrder, graphdb.IntValue(int64(first+i))); err != nil {
			return err
		}
		if err := im.w.tx.Set(e, graphdb.BlockPage, graphdb.RefValue(page)); err != nil {
			return err
		}
		im.w.words.add(e, 1)
		for _, a := range line {
			if err := im.w.tx.Set(e, graphdb.BlockParents, graphdb.RefValue(a)); err != nil {
				return err
			}
		}
		if err := im.children(page, e, append(line[:len(line):len(line)], e), b.Children); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) block(b exported) (graphdb.EID, error) {
	e, err := im.entity(b)
	if err != nil {
		return 0, err
	}
	text := ""
	if b.String != nil {
		text = *b.String
	}
	values := map[graphdb.Attr]graphdb.Value{
		graphdb.BlockString: graphdb.StringValue(text),
		graphdb.BlockOpen:   graphdb.BoolValue(b.Open == nil || *b.Open),
	}
	if n, ok := whole(b.Heading); ok && n >= 1 && n <= 3 { // old exports write 0 for none
		values[graphdb.BlockHeading] = graphdb.IntValue(n)
	}
	if b.TextAlign != "" {
		values[graphdb.BlockTextAlign] = graphdb.StringValue(b.TextAlign)
	}
	if b.BlockViewType != "" {
		values[graphdb.BlockViewType] = keyword(b.BlockViewType)
	}
	for _, stored := range []struct {
		as               graphdb.Attr
		plain, qualified json.RawMessage
	}{{graphdb.BlockProps, b.Props, b.BlockProps}, {graphdb.EntEmojis, b.Emojis, b.EntEmojis}} {
		text, err := storedExport(stored.plain, stored.qualified)
		switch {
		case err != nil:
			im.report("%s of the block %s is left out: %v", stored.as, quoted(b.UID), err)
		case text != "":
			values[stored.as] = graphdb.OpaqueValue(graphdb.Opaque(text))
		}
	}
	if im.done.Blocks++; im.done.Blocks%64 == 0 {
		if err := im.w.tx.CheckSize(im.options.MaxDatoms); err != nil {
			return 0, err
		}
	}
	return e, im.w.tx.SetAll(e, values)
}

// entity makes what pages and blocks have in common.
func (im *importer) entity(x exported) (graphdb.EID, error) {
	uid := x.UID
	if uid == "" || ByUID(im.w.tx, uid) != 0 {
		fresh, err := im.w.freshUID()
		if err != nil {
			return 0, err
		}
		if uid != "" {
			im.report("the uid %s is taken already, so that it is %s here", quoted(uid), quoted(fresh))
		}
		uid = fresh
	}
	e := im.w.tx.NewEntity()
	im.made = append(im.made, e)
	values := im.times(x)
	values[graphdb.BlockUID] = graphdb.StringValue(uid)
	if view := cmp.Or(x.ChildrenViewType, x.PlainViewType); view != "" {
		values[graphdb.ChildrenViewType] = keyword(view)
	}
	for a, u := range map[graphdb.Attr]*exportedUser{graphdb.CreateUser: x.CreateUser, graphdb.EditUser: x.EditUser} {
		if u != nil && u.UID != "" {
			user, err := im.user(u.UID)
			if err != nil {
				return 0, err
			}
			values[a] = graphdb.RefValue(user)
		}
	}
	return e, im.w.tx.SetAll(e, values)
}

// times returns the times that a page or block has, or gets.
func (im *importer) times(x exported) map[graphdb.Attr]graphdb.Value {
	created, wasCreated := whole(x.CreateTime)
	edited, wasEdited := whole(x.EditTime)
	if im.options.Stamp && x.UID == "" {
		now := im.w.author.Now.UnixMilli()
		switch {
		case !wasCreated && !wasEdited:
			created, edited = now, now
		case !wasCreated:
			created = edited
		case !wasEdited:
			edited = created
		}
		wasCreated, wasEdited = true, true
	}
	values := map[graphdb.Attr]graphdb.Value{}
	if wasCreated {
		values[graphdb.CreateTime] = graphdb.IntValue(created)
	}
	if wasEdited {
		values[graphdb.EditTime] = graphdb.IntValue(edited)
	}
	return values
}

func (im *importer) user(uid string) (graphdb.EID, error) {
	if e := im.users[uid]; e != 0 {
		return e, nil
	}
	e, err := im.w.EnsureUser(uid, "")
	im.users[uid] = e
	return e, err
}

// link sets the references once all uids are known.
func (im *importer) link(ctx context.Context, makeMissing bool) error {
	for i, e := range im.made {
		if i%256 == 0 {
			if err := cmp.Or(ctx.Err(), im.w.tx.CheckSize(im.options.MaxDatoms)); err != nil {
				return err
			}
		}
		if err := im.w.linkTo(e, TextOf(im.w.tx, e), makeMissing); err != nil {
			return err
		}
	}
	return nil
}

func keyword(s string) graphdb.Value {
	return graphdb.KeywordValue(graphdb.Keyword(":" + plainKeyword(s)))
}

// whole reads a number as an integer: exports write times as either.
func whole(f *float64) (int64, bool) {
	if f == nil || math.IsNaN(*f) || math.Abs(*f) > 1<<53 {
		return 0, false
	}
	return int64(*f), true
}
