package manage

import (
	"context"
	"errors"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// AskAboutToken asks Roam about the token of an entry that need not be in the
// configuration, and notes nothing.
func (m *Manager) AskAboutToken(ctx context.Context, entry configstore.Entry) Check {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	started := m.Now()
	info := m.Roam.TokenInfo(ctx, entry.Graph(), entry.Token)
	ended := m.Now()
	return Check{Info: info, At: ended, Took: ended.Sub(started)}
}

// away reports whether Roam gave no answer at all, so that the next question has none
// either.
func away(err error) bool {
	switch problem.CodeOf(err) {
	case localapi.CodeConnectionFailed, localapi.CodeNotRoam, localapi.CodeOtherUser, localapi.CodeTimeout, localapi.CodeDisabled:
		return true
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// Import is that of the Store, of what has a token that Roam knows: an entry whose token
// Roam calls revoked is skipped, unless its graph is configured anyway. Once Roam gives no
// answer it is asked no more, and the rest is imported unchecked.
func (m *Manager) Import(ctx context.Context, entries []configstore.Entry) (configstore.ImportReport, error) {
	config, err := m.Load(ctx)
	if err != nil {
		return configstore.ImportReport{}, err
	}
	kept, revoked := m.known(ctx, config, entries)
	report, err := m.Store.Import(ctx, kept)
	if err != nil {
		return report, err
	}
	report.Skipped = append(report.Skipped, revoked...)
	return report, nil
}

// ImportFile is that of the Store, of what Import would import of the file.
func (m *Manager) ImportFile(ctx context.Context, path string) (configstore.ImportReport, []configstore.Problem, error) {
	config, err := m.Load(ctx)
	if err != nil {
		return configstore.ImportReport{}, nil, err
	}
	return m.Store.ImportFile(ctx, path, func(entries []configstore.Entry) ([]configstore.Entry, []configstore.Skipped) {
		return m.known(ctx, config, entries)
	})
}

// known asks Roam about the tokens of graphs that are not configured, and returns the
// entries without those whose token is revoked.
func (m *Manager) known(ctx context.Context, config configstore.Config, entries []configstore.Entry) (kept []configstore.Entry, revoked []configstore.Skipped) {
	answers := true
	for _, entry := range entries {
		_, configured := config.FindGraph(entry.Graph())
		if answers && !configured && !entry.Token.IsZero() {
			info := m.AskAboutToken(ctx, entry).Info
			if info.Status == localapi.TokenRevoked {
				revoked = append(revoked, configstore.Skipped{Entry: entry, Reason: "Roam does not know its token any more. Connect the graph anew."})
				continue
			}
			answers = info.Status == localapi.TokenActive || !away(info.Reason)
		}
		kept = append(kept, entry)
	}
	return kept, revoked
}
