package mdfolder

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

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
