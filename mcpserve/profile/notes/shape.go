package notes

import (
	"encoding/json"
	"time"

	"roam-mcp/internal/rawjson"
)

// The fields of a note are Memento's, in its order; each tool has a form with those that
// it sends and no other. Lists that a note does not have are null.

type head struct {
	ID         string   `json:"id"`
	Title      *string  `json:"title"`
	Content    string   `json:"content"`
	Color      string   `json:"color"`
	IsPinned   bool     `json:"isPinned"`
	IsArchived bool     `json:"isArchived"`
	Type       string   `json:"type"`
	CheckItems []item   `json:"checkItems"`
	Labels     []string `json:"labels"`
	Images     []string `json:"images"`
}

type times struct {
	CreatedAt string `json:"createdAt"`
	UpdatedAt string `json:"updatedAt"`
}

// shortForm is that of a search, and of what was written.
type shortForm struct {
	head
	times
}

// listForm is that of the list of all notes.
type listForm struct {
	head
	Order int `json:"order"`
	times
}

// longForm is that of one note.
type longForm struct {
	head
	Reminder           *string `json:"reminder"`
	IsReminderDone     bool    `json:"isReminderDone"`
	ReminderRecurrence *string `json:"reminderRecurrence"`
	ReminderLocation   *string `json:"reminderLocation"`
	IsMarkdown         bool    `json:"isMarkdown"`
	Size               string  `json:"size"`
	Embedding          *string `json:"embedding"`
	UserID             *string `json:"userId"`
	Order              int     `json:"order"`
	times
}

func (e *entry) head(content string) head {
	h := head{
		ID: e.node.UID, Content: content, Color: e.color(), IsPinned: e.pinned(), IsArchived: e.is(propArchived),
		Type: e.kind, CheckItems: e.items(), Labels: e.labels, Images: e.images(),
	}
	if title, ok := e.title(); ok {
		h.Title = &title
	}
	return h
}

func (e *entry) times() times { return times{isoTime(e.created()), isoTime(e.updated())} }

// created returns when the note was made, in ms since 1970.
func (e *entry) created() int64 { n := e.without(roleSection); return n.CreatedAt() }

// updated returns when the note was changed last, in ms since 1970. What is written among
// the quick notes of a day stamps the page, and is no change of the day's own note.
func (e *entry) updated() int64 {
	n := e.without(roleSection)
	if len(n.Children) < len(e.parts) {
		n.Edited = n.Created
	}
	return n.UpdatedAt()
}

// short returns the note as JSON, with a content, in the form of a search.
func (e *entry) short(content string) json.RawMessage {
	return rawjson.Encode(shortForm{e.head(content), e.times()})
}

// listed returns the note as JSON, with a content, in the form of the list.
func (e *entry) listed(content string) json.RawMessage {
	return rawjson.Encode(listForm{e.head(content), e.order(), e.times()})
}

// long returns the note as JSON, with a content, in the form of one that is read by itself.
func (e *entry) long(content string) json.RawMessage {
	long := longForm{
		head: e.head(content), IsReminderDone: e.is(propDone), ReminderRecurrence: textOrNull(e.values[propRecurrence]),
		ReminderLocation: textOrNull(e.values[propLocation]), IsMarkdown: true, Size: e.size(), UserID: textOrNull(e.node.Creator.UID),
		Order: e.order(), times: e.times(),
	}
	if at, ok := e.reminder(); ok {
		long.Reminder = textOrNull(isoTime(at.UnixMilli()))
	}
	return rawjson.Encode(long)
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// isoTime returns a time as JavaScript writes it, in UTC.
func isoTime(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}
