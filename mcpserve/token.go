package mcpserve

import (
	"context"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
)

// NoteToken keeps what Roam said of a token. A token that works is active, even
// where Roam was not asked or could not say.
func (r *Roam) NoteToken(ctx context.Context, entry configstore.Entry, info localapi.TokenInfo, worked bool) {
	status := localapi.TokenStatus("")
	switch {
	case info.Status == localapi.TokenActive, info.Status == localapi.TokenUnknown && worked:
		status = localapi.TokenActive
	case info.Status == localapi.TokenRevoked && !worked:
		status = localapi.TokenRevoked
	default:
		return
	}
	level := info.AccessLevel
	if !level.Known() { // a level from a newer Roam is shown, never stored
		level = ""
	}
	if status == entry.LastKnownTokenStatus && (level == "" || level == entry.AccessLevel) {
		return
	}
	// The reply does not wait for another process to let go of the file.
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeouts.Note)
	defer cancel()
	if err := r.options.SetTokenStatus(ctx, entry.Graph(), entry.Token, status, level); err != nil {
		r.options.Log.Warn("the token's status could not be saved", "graph", entry.Nickname, "code", Explained(err).Code)
	}
}
