package manage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// saveTimeout bounds one try to save a token, the wait for other writers included.
const saveTimeout = 15 * time.Second

// ErrNotSaved is in the tree of Kept.Err.
var ErrNotSaved = errors.New("the granted token is not in the configuration")

// Kept is what became of a granted token.
type Kept struct {
	// Entry is the one in the configuration; where Err is set, the one that was to
	// be there.
	Entry configstore.Entry
	// Err says why the token is not in the configuration, where it is instead, and
	// what to do. Nil: it is there.
	Err error
	// File keeps the token where the configuration does not; empty for none.
	File string

	renews bool
}

// Lost reports whether the token is nowhere but in k.
func (k Kept) Lost() bool { return k.Err != nil && k.File == "" }

// Keep keeps a token that was granted: in the configuration, under a numbered
// nickname where another graph has got that nickname meanwhile, and disabled or
// enabled as the file has it; or else in a file of its own. The end of ctx does not
// keep it from that.
func (m *Manager) Keep(ctx context.Context, a Authorization, grant localapi.TokenGrant) Kept {
	return m.Retry(ctx, Kept{Entry: a.Granted(grant), renews: a.Renews})
}

// Retry tries once more to get a token into the configuration. The file that kept
// it meanwhile goes then.
func (m *Manager) Retry(ctx context.Context, k Kept) Kept {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	entry, err := m.SaveGrant(ctx, k.Entry, k.renews)
	if err == nil {
		if k.File != "" {
			_ = os.Remove(k.File) // it holds what the configuration holds now
		}
		return Kept{Entry: entry}
	}
	var rescueErr error
	if k.File == "" {
		var file string
		if file, rescueErr = m.Rescue(k.Entry); rescueErr == nil {
			k.File = file
		}
	}
	k.Err = notSaved(err, k.File, rescueErr)
	return k
}

// notSaved says where a granted token is that could not be saved.
func notSaved(err error, file string, rescueErr error) error {
	said := problem.Error{Code: configstore.CodeConfigUnwritable, Message: fmt.Sprintf("The token could not be saved: %v.", err)}
	if known, ok := problem.As(err); ok {
		said = *known
	}
	if file == "" {
		said.Message += " The granted token could not be kept elsewhere either."
		said.Err = errors.Join(ErrNotSaved, err, rescueErr)
		return &said
	}
	said.Message += " The granted token was kept in " + file + "."
	said.Hint = problem.Say("Mend that, then: %s", problem.Run("import", file))
	said.Err = errors.Join(ErrNotSaved, err)
	return &said
}
