package mdfolder

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"roam-mcp/internal/graph/note"
)

const frontMatterLine = "---"

// Keys of our own front matter.
const (
	keyPrefix     = "roam-"
	keyTitle      = keyPrefix + "title"
	keyUID        = keyPrefix + "uid"
	keyCreateTime = keyPrefix + "create-time"
	keyEditTime   = keyPrefix + "edit-time"
	keyCreateUser = keyPrefix + "create-user"
	keyEditUser   = keyPrefix + "edit-user"
	keyView       = keyPrefix + "children-view-type"
	keyLogID      = keyPrefix + "log-id"
	keySidebar    = keyPrefix + "sidebar"
)

// Attributes of the tags of blocks. uid and childrenViewType are those of Roam's
// annotated markdown (LOCAL_API.md 9.6).
const (
	attrUID          = "uid"
	attrCreateTime   = "createTime"
	attrEditTime     = "editTime"
	attrCreateUser   = "createUser"
	attrEditUser     = "editUser"
	attrChildrenView = "childrenViewType"
	attrBlockView    = "blockViewType"
	attrTextAlign    = "textAlign"
	attrOpen         = "open"
	attrProps        = "props"
)

// cutFrontMatter splits a file into its front matter and the rest: our own keys as a
// page, those of other programs as properties. What cannot be parsed stays in the rest.
func cutFrontMatter(text string) (page node, others []note.Property, rest string, err error) {
	front, rest, ok := note.CutFrontMatter(text)
	if !ok {
		return node{}, nil, text, nil
	}
	var foreign strings.Builder
	n := 1
	for line := range strings.Lines(front) {
		n++
		line = strings.TrimRight(line, " \t\r\n")
		if key, value, ok := strings.Cut(line, ":"); ok && strings.HasPrefix(key, keyPrefix) {
			if err := page.set(key, strings.TrimSpace(value)); err != nil {
				return node{}, nil, "", fmt.Errorf("line %d: %s: %w", n, key, err)
			}
		} else {
			foreign.WriteString(line + "\n")
		}
	}
	others, ok = note.ParseProperties(foreign.String())
	switch {
	case ok:
		return page, others, rest, nil
	case page.Title == "":
		return page, nil, text, nil
	}
	return page, nil, foreign.String() + "\n" + rest, nil
}

// set sets one field from a JSON string or number. Unknown ones, of later versions, are
// ignored.
func (n *node) set(key, value string) error {
	switch key {
	case keyTitle:
		return json.Unmarshal([]byte(value), &n.Title)
	case keyUID:
		return json.Unmarshal([]byte(value), &n.UID)
	case keyView:
		return json.Unmarshal([]byte(value), &n.ChildrenViewType)
	case keyCreateUser:
		return parseUser(value, &n.CreateUser)
	case keyEditUser:
		return parseUser(value, &n.EditUser)
	}
	number := map[string]**json.Number{
		keyCreateTime: &n.CreateTime, keyEditTime: &n.EditTime, keyLogID: &n.LogID, keySidebar: &n.Sidebar,
	}[key]
	if number == nil {
		return nil
	}
	return parseNumber(value, number)
}

func parseUser(text string, into **user) error {
	var uid string
	if err := json.Unmarshal([]byte(text), &uid); err != nil {
		return err
	}
	if uid != "" {
		*into = &user{UID: uid}
	}
	return nil
}

func parseNumber(text string, into **json.Number) error {
	var n json.Number
	if err := json.Unmarshal([]byte(text), &n); err != nil || n == "" || text[0] == '"' {
		return fmt.Errorf("%.40q is no number", text)
	}
	*into = &n
	return nil
}

// node is a page or a block of a Roam JSON export (LOCAL_API.md 9.11).
type node struct {
	Title            string          `json:"title,omitempty"`
	String           *string         `json:"string,omitempty"`
	UID              string          `json:"uid,omitempty"`
	CreateTime       *json.Number    `json:"create-time,omitempty"`
	EditTime         *json.Number    `json:"edit-time,omitempty"`
	CreateUser       *user           `json:":create/user,omitempty"`
	EditUser         *user           `json:":edit/user,omitempty"`
	Heading          float64         `json:"heading,omitempty"`
	Open             *bool           `json:"open,omitempty"`
	TextAlign        string          `json:"text-align,omitempty"`
	ChildrenViewType string          `json:":children/view-type,omitempty"`
	BlockViewType    string          `json:":block/view-type,omitempty"`
	Props            json.RawMessage `json:"props,omitempty"`
	LogID            *json.Number    `json:":log/id,omitempty"`
	Sidebar          *json.Number    `json:":page/sidebar,omitempty"`
	Children         []node          `json:"children,omitempty"`
}

type user struct {
	UID string `json:":user/uid"`
}

// readPages calls each for the pages of an export, one after another.
func readPages(ctx context.Context, export io.Reader, each func(node) error) error {
	dec := json.NewDecoder(export)
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return errors.Join(errors.New("this is no Roam JSON export: it must start with a list of pages"), err)
	}
	for n := 1; dec.More(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var page node
		if err := dec.Decode(&page); err != nil {
			return fmt.Errorf("page %d of the export can't be read, near byte %d: %w", n, dec.InputOffset(), err)
		}
		if err := each(page); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// pageWriter writes pages as an export.
type pageWriter struct {
	out    *bufio.Writer
	before string
}

func newPageWriter(w io.Writer) *pageWriter {
	return &pageWriter{out: bufio.NewWriterSize(w, 1<<16), before: "[\n"}
}

func (w *pageWriter) page(p node) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, _ = w.out.WriteString(w.before)
	w.before = ",\n"
	_, err = w.out.Write(text)
	return err
}

func (w *pageWriter) close() error {
	if w.before == "[\n" {
		_, _ = w.out.WriteString("[")
	}
	_, _ = w.out.WriteString("]\n")
	return w.out.Flush() // returns the first error of the writes above
}
