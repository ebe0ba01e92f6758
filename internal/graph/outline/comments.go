package outline

import (
	"slices"
	"time"

	"roam-mcp/internal/graph/graphdb"
)

// CommentsPage is the page that holds the comments of all blocks. Each comment
// is a block there with the view type "comment" whose text refers to what is
// commented on; the blocks under it are what was said (LOCAL_API.md 9.3 leaves
// open where Roam keeps them).
const CommentsPage = "roam/comments"

// commentView marks a block as a comment.
const commentView = "comment"

// Comments are the comments on a block, oldest first.
func Comments(r graphdb.Reader, block graphdb.EID) []graphdb.EID {
	page := PageByTitle(r, CommentsPage)
	uid := r.String(block, graphdb.BlockUID)
	if page == 0 || uid == "" {
		return nil
	}
	var list []graphdb.EID
	for _, e := range Children(r, page) {
		if isCommentOn(r, e, uid) {
			list = append(list, e)
		}
	}
	return list
}

func isCommentOn(r graphdb.Reader, e graphdb.EID, uid string) bool {
	return plainKeyword(r.String(e, graphdb.BlockViewType)) == commentView &&
		r.String(e, graphdb.BlockString) == "(("+uid+"))"
}

// AddComment says something about a block: the blocks go to the end of the
// author's comment of the same day, or become a new one. day tells which time
// zone's days are meant. It gives the uids of the new top blocks and that of
// the comment (LOCAL_API.md 2.3).
func (w *Writer) AddComment(uid string, day *time.Location, said []Block) (uids []string, comment string, err error) {
	e, err := w.block(uid)
	if err != nil {
		return nil, "", err
	}
	if len(said) == 0 {
		return nil, "", invalid("A comment needs text.")
	}
	comment = w.commentOfToday(e, day)
	if comment == "" {
		made, err := w.CreateBlocks(Location{PageTitle: CommentsPage, Order: Last},
			[]Block{{String: "((" + uid + "))", BlockViewType: commentView}})
		if err != nil {
			return nil, "", err
		}
		comment = made[0]
	}
	uids, err = w.CreateBlocks(Location{ParentUID: comment, Order: Last}, said)
	return uids, comment, err
}

// commentOfToday finds the uid of the author's comment of this day; "": none.
func (w *Writer) commentOfToday(block graphdb.EID, day *time.Location) string {
	today := w.author.Now.In(day).Format(time.DateOnly)
	for _, e := range slices.Backward(Comments(w.tx, block)) {
		created, ok := w.tx.Int(e, graphdb.CreateTime)
		if ok && w.tx.Ref(e, graphdb.CreateUser) == w.author.User &&
			time.UnixMilli(created).In(day).Format(time.DateOnly) == today {
			return w.tx.String(e, graphdb.BlockUID)
		}
	}
	return ""
}
