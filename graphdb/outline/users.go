package outline

import "roam-mcp/graphdb"

// userPhoto is the address of a user's picture.
const userPhoto graphdb.Attr = ":user/photo-url"

// UpsertUser makes the user with this uid if it is not there, and gives it the
// display name and picture; one that is empty stays as it is (LOCAL_API.md 2.4).
func (w *Writer) UpsertUser(uid, displayName, photoURL string) error {
	if uid == "" {
		return invalid("A user needs a uid.")
	}
	user, err := w.EnsureUser(uid, displayName)
	if err != nil {
		return err
	}
	if displayName != "" {
		if err := w.tx.Set(user, graphdb.UserDisplayName, graphdb.StringValue(displayName)); err != nil {
			return err
		}
	}
	if photoURL == "" {
		return nil
	}
	return w.tx.Set(user, userPhoto, graphdb.StringValue(photoURL))
}
