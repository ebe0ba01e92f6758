package mdfolder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
)

// ErrNotEmpty is the cause of the error of Write for a folder that is not empty.
var ErrNotEmpty = errors.New("the folder is not empty")

// Write makes a folder of the pages of a Roam JSON export and returns their number. The
// folder must be missing or empty. It appears when all is written, and not at all on
// an error.
func Write(ctx context.Context, folder string, export io.Reader) (pages int, err error) {
	if err := checkEmpty(folder); err != nil {
		return 0, err
	}
	folder = filepath.Clean(folder)
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return 0, err
	}
	unfinished, err := os.MkdirTemp(filepath.Dir(folder), filepath.Base(folder)+".*.new")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(unfinished))
		}
	}()
	names := fileNames{}
	err = readPages(ctx, export, func(page node) error {
		pages++
		return os.WriteFile(filepath.Join(unfinished, names.of(page.Title)), pageText(page), 0o600)
	})
	if err != nil {
		return 0, err
	}
	if err := os.Chmod(unfinished, 0o700); err != nil {
		return 0, err
	}
	if err := os.Remove(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	return pages, os.Rename(unfinished, folder)
}

func checkEmpty(folder string) error {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s: %w", folder, ErrNotEmpty)
	}
	return nil
}

// pageText returns the content of a page's file.
func pageText(page node) []byte {
	var b bytes.Buffer
	b.WriteString(frontMatterLine + "\n")
	field := func(name string, value any) {
		text, err := json.Marshal(value) // JSON strings and numbers are YAML too
		if err == nil {
			fmt.Fprintf(&b, "%s: %s\n", name, text)
		}
	}
	field(keyTitle, page.Title)
	for _, f := range []struct{ name, value string }{
		{keyUID, page.UID}, {keyCreateUser, page.CreateUser.uid()}, {keyEditUser, page.EditUser.uid()},
		{keyView, plainKeyword(page.ChildrenViewType)},
	} {
		if f.value != "" {
			field(f.name, f.value)
		}
	}
	for _, f := range []struct {
		name  string
		value *json.Number
	}{{keyCreateTime, page.CreateTime}, {keyEditTime, page.EditTime}, {keyLogID, page.LogID}, {keySidebar, page.Sidebar}} {
		if f.value != nil {
			field(f.name, f.value)
		}
	}
	b.WriteString(frontMatterLine + "\n\n")
	b.WriteString(markdown.RenderTagged(blocksOf(page, page.Children)))
	return b.Bytes()
}

// blocksOf returns blocks with the annotations from which read restores them. It omits
// users who are the page's, and edit times that are the creation time.
func blocksOf(page node, nodes []node) []outline.Block {
	var blocks []outline.Block
	for _, n := range nodes {
		a := map[string]string{}
		note := func(name, value string) {
			if value != "" {
				a[name] = value
			}
		}
		note(attrUID, n.UID)
		note(attrTextAlign, n.TextAlign)
		note(attrChildrenView, plainKeyword(n.ChildrenViewType))
		note(attrBlockView, plainKeyword(n.BlockViewType))
		note(attrProps, string(n.Props))
		if n.Open != nil && !*n.Open {
			a[attrOpen] = strconv.FormatBool(false)
		}
		if n.CreateTime != nil {
			a[attrCreateTime] = n.CreateTime.String()
		}
		if n.EditTime != nil && (n.CreateTime == nil || *n.EditTime != *n.CreateTime) {
			a[attrEditTime] = n.EditTime.String()
		}
		if by := n.CreateUser.uid(); by != page.CreateUser.uid() {
			a[attrCreateUser] = by
		}
		if by := n.EditUser.uid(); by != page.EditUser.uid() {
			a[attrEditUser] = by
		}
		text := ""
		if n.String != nil {
			text = *n.String
		}
		blocks = append(blocks, outline.Block{String: text, Heading: int(n.Heading), Annotation: a, Children: blocksOf(page, n.Children)})
	}
	return blocks
}

func (u *user) uid() string {
	if u == nil {
		return ""
	}
	return u.UID
}

func plainKeyword(k string) string {
	if k != "" && k[0] == ':' {
		return k[1:]
	}
	return k
}
