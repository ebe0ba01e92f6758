package mdfolder

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/lazyregexp"
)

// Options limit what is read.
type Options struct {
	MaxBytes     int64 // of all files; 0: 1 GiB
	MaxFileBytes int64 // of one file; 0: 16 MiB
}

const (
	defaultBytes     = 1 << 30
	defaultFileBytes = 16 << 20
	maxLines         = 250_000 // of one file
)

// Read writes the markdown files of a folder and its subfolders as a Roam JSON export.
// It skips files with other extensions, symbolic links and hidden files, whose names
// begin with a dot. An error names the file.
//
// A file of another program is a page whose title is the file's name, or its path
// ("a/b") if the name is not unique or links use the path. A name that is a date
// ("2026-03-17") stands for the daily note, also in links; the id at the end of a
// name of Notion ("Page 0123…") is left out, and a___b of Logseq is a/b. Logseq's
// properties become blocks, and its id of a block the block's uid; in its folders pages
// and journals, "TODO" and "DONE" at the start of a block become Roam's. Front
// matter becomes blocks "key:: value", without its comments; what is not a YAML mapping
// stays as text. [[a|b]] and [b](a.md) become [b]([[a]]), ![[a]] an embed, "[ ]" and
// "[x]" a TODO and a DONE. \#tag is no tag. The export also has the pages that such
// files mention and that have no file.
func Read(ctx context.Context, folder fs.FS, export io.Writer, options Options) error {
	if options.MaxBytes <= 0 {
		options.MaxBytes = defaultBytes
	}
	if options.MaxFileBytes <= 0 {
		options.MaxFileBytes = defaultFileBytes
	}
	s := scan{folder: folder, options: options, left: options.MaxBytes, linked: map[string]bool{}}
	if err := s.files(ctx); err != nil {
		return err
	}
	links, err := s.nameThem()
	if err != nil {
		return err
	}
	s.left = options.MaxBytes
	w := newPageWriter(export)
	for i := range s.found {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := &s.found[i]
		page, err := s.read(f, links)
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		if err := w.page(page); err != nil {
			return err
		}
	}
	for _, title := range links.missing() {
		if err := w.page(node{Title: title}); err != nil {
			return err
		}
	}
	return w.close()
}

// NewReader returns the output of Read as a stream, which also returns its error. It
// must be closed.
func NewReader(ctx context.Context, folder fs.FS, options Options) io.ReadCloser {
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(Read(ctx, folder, w, options)) }()
	return r
}

// file is a markdown file of the folder.
type file struct {
	path string
	page node            // from the front matter, with the final title
	head []note.Property // from the front matter of another program
	text string          // after the front matter; empty but while the file is read
	own  bool            // made by Write

	title string // by a property of Logseq; empty: by the file's name
}

// scan finds the files and their titles.
type scan struct {
	folder  fs.FS
	options Options
	left    int64
	found   []file
	linked  map[string]bool // titles that some text mentions
}

func (s *scan) files(ctx context.Context) error {
	err := fs.WalkDir(s.folder, ".", func(at string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		hidden := at != "." && strings.HasPrefix(entry.Name(), ".")
		switch {
		case hidden && entry.IsDir():
			return fs.SkipDir
		case hidden || !entry.Type().IsRegular() || !isMarkdown(at):
			return nil
		}
		return s.file(at)
	})
	if err == nil && len(s.found) == 0 {
		return errors.New("there are no markdown files in the folder")
	}
	return err
}

func isMarkdown(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case extension, ".markdown":
		return true
	}
	return false
}

func (s *scan) file(at string) error {
	text, err := s.load(at)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	f := file{path: at}
	if f.page, f.head, f.text, err = cutFrontMatter(text); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	f.own = f.page.Title != ""
	if !f.own {
		if f.isLogseqs() {
			f.title = f.logseqTitle(f.name())
		}
		for _, r := range roamtext.References(f.text) {
			if r.Kind != roamtext.BlockRef {
				target, _, _ := note.CutLink(r.Content(f.text))
				s.linked[strings.Clone(target)] = true
			}
		}
	}
	f.text = "" // it is read again, so that a large folder need not be in memory
	s.found = append(s.found, f)
	return nil
}

// read returns the page of a file, which is read once more.
func (s *scan) read(f *file, links linkNames) (page node, err error) {
	text, err := s.load(f.path)
	if err != nil {
		return node{}, err
	}
	defer func() { f.text = "" }()
	if _, _, f.text, err = cutFrontMatter(text); err != nil {
		return node{}, err
	}
	return f.read(links)
}

func (s *scan) load(at string) (string, error) {
	in, err := s.folder.Open(at)
	if err != nil {
		return "", err
	}
	defer in.Close()
	most := min(s.options.MaxFileBytes, s.left)
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return "", err
	case int64(len(text)) > s.options.MaxFileBytes:
		return "", fmt.Errorf("the file is larger than %d bytes", s.options.MaxFileBytes)
	case int64(len(text)) > most:
		return "", fmt.Errorf("the files are larger than %d bytes in all", s.options.MaxBytes)
	case bytes.Count(text, []byte("\n")) > maxLines:
		return "", fmt.Errorf("the file has more than %d lines", maxLines)
	case !utf8.Valid(text):
		return "", errors.New("the file is not UTF-8 text")
	}
	s.left -= int64(len(text))
	return string(text), nil
}

// nameThem sets the titles of files of other programs, and returns how to resolve
// links.
func (s *scan) nameThem() (linkNames, error) {
	byName := map[string]int{}
	for _, f := range s.found {
		if !f.own {
			byName[cmp.Or(f.title, f.name())]++
		}
	}
	links := linkNames{titles: map[string]bool{}, paths: map[string]string{}, mentioned: map[string]bool{}, uids: map[string]bool{}}
	from := map[string]string{}
	for i := range s.found {
		f := &s.found[i]
		stem := f.stem()
		if !f.own {
			f.page.Title = cmp.Or(f.title, f.name())
			if title, ok := dailyTitle(f.page.Title); ok {
				f.page.Title = title
			} else if byName[f.page.Title] > 1 || s.linked[stem] && !s.linked[f.page.Title] {
				f.page.Title = stem
			}
		}
		links.paths[stem] = f.page.Title
		if other, taken := from[f.page.Title]; taken {
			return links, fmt.Errorf("%s and %s are both the page %.100q", other, f.path, f.page.Title)
		}
		from[f.page.Title] = f.path
		links.titles[f.page.Title] = true
	}
	return links, nil
}

// ordinal matches a day as Logseq writes it: Mar 17th, 2026.
var ordinal = lazyregexp.New(`^([A-Z][a-z]{2} \d{1,2})(?:st|nd|rd|th), (\d{4})$`)

// dailyTitle returns the title of the daily note of a name such as 2026-03-17, 2026_03_17
// or Mar 17th, 2026.
func dailyTitle(name string) (string, bool) {
	name = ordinal.ReplaceAllString(name, "$1, $2")
	for _, layout := range []string{time.DateOnly, "2006_01_02", "Jan 2, 2006"} {
		if day, err := time.Parse(layout, name); err == nil {
			return outline.DailyTitle(day), true
		}
	}
	return "", false
}

// stem returns the path without extension in Unicode form NFC, which some file systems
// don't use.
func (f *file) stem() string {
	return norm.NFC.String(strings.TrimSuffix(f.path, path.Ext(f.path)))
}

// notionID is what Notion appends to the names of the files that it exports.
var notionID = lazyregexp.New(` [0-9a-f]{32}$`)

// name returns the name of a page of another program. Logseq writes a/b as a___b.
func (f *file) name() string {
	name := strings.ReplaceAll(path.Base(f.stem()), "___", "/")
	if title := notionID.ReplaceAllString(name, ""); title != "" {
		return title
	}
	return name
}

// read returns the page with its blocks, those of the front matter first.
func (f *file) read(links linkNames) (node, error) {
	page := f.page
	links.folder = path.Dir(f.path)
	blocks, err := f.nodes(markdown.ParseTagged(f.text), links)
	page.Children = append(f.attributeNodes(f.head, links), blocks...)
	return page, err
}

// attributeNodes returns the blocks "key:: value" of a front matter.
func (f *file) attributeNodes(attributes []note.Property, links linkNames) []node {
	links.plainTags = true // a # of a value begins no tag
	var nodes []node
	for _, a := range attributes {
		text := a.Text()
		if !f.own {
			text = links.roamText(text)
		}
		nodes = append(nodes, node{String: &text, Children: f.attributeNodes(a.Children, links)})
	}
	return nodes
}

func (f *file) nodes(blocks []outline.Block, links linkNames) ([]node, error) {
	var nodes []node
	for _, b := range blocks {
		if properties := propertyLines(b); !f.own && properties != nil {
			nodes = append(nodes, f.propertyNodes(properties, links)...)
			continue
		}
		n := node{String: &b.String, Heading: float64(b.Heading)}
		if b.Annotation == nil {
			if !f.own {
				n.Children = f.propertyNodes(n.takeProperties(links.uids), links)
				*n.String = f.roamText(b.String, links)
			}
		} else if err := n.annotate(f.page, b.Annotation); err != nil {
			return nil, fmt.Errorf("the block %.60q: %w", b.String, err)
		}
		children, err := f.nodes(b.Children, links)
		if err != nil {
			return nil, err
		}
		n.Children = append(n.Children, children...)
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// propertyNodes returns blocks of the lines "key:: value".
func (f *file) propertyNodes(lines []string, links linkNames) []node {
	var nodes []node
	for _, line := range lines {
		text := f.roamText(line, links)
		nodes = append(nodes, node{String: &text})
	}
	return nodes
}

// roamText rewrites a text of another program.
func (f *file) roamText(text string, links linkNames) string {
	if f.isLogseqs() {
		text = logseqText(text)
	}
	return links.roamText(text)
}

// annotate is the inverse of blocksOf.
func (n *node) annotate(page node, a map[string]string) error {
	n.UID, n.TextAlign, n.ChildrenViewType, n.BlockViewType = a[attrUID], a[attrTextAlign], a[attrChildrenView], a[attrBlockView]
	if props, ok := a[attrProps]; ok {
		if !json.Valid([]byte(props)) {
			return errors.New("its props are not JSON")
		}
		n.Props = json.RawMessage(props)
	}
	if open := a[attrOpen]; open == "false" {
		n.Open = new(bool)
	}
	for _, name := range []string{attrCreateTime, attrEditTime} {
		into := &n.CreateTime
		if name == attrEditTime {
			into = &n.EditTime
		}
		if text, ok := a[name]; ok {
			if err := parseNumber(text, into); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	if n.EditTime == nil {
		n.EditTime = n.CreateTime
	}
	n.CreateUser = userOf(a, attrCreateUser, page.CreateUser)
	n.EditUser = userOf(a, attrEditUser, page.EditUser)
	return nil
}

// userOf returns the user whom the tag names, nil for an empty name, or otherwise the
// page's.
func userOf(a map[string]string, name string, otherwise *user) *user {
	uid, ok := a[name]
	switch {
	case !ok:
		return otherwise
	case uid == "":
		return nil
	}
	return &user{UID: uid}
}
