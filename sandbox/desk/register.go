package desk

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"roam-mcp/atomicfile"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

const (
	registerVersion = 1
	maxRegister     = 16 << 20
)

// register is what the desk keeps on disk. It holds no tokens, only their hashes, so
// nobody gains access by reading it.
type register struct {
	Version int              `json:"version"`
	Tokens  []record         `json:"tokens"`
	Blocked []localapi.Graph `json:"blocked"`
}

// record is one token.
type record struct {
	Graph       localapi.Graph       `json:"graph"`
	SHA256      string               `json:"sha256"` // of the whole token, in hex
	LastFour    string               `json:"lastFour"`
	AccessLevel localapi.AccessLevel `json:"accessLevel"`
	Scopes      []Scope              `json:"scopes"`
	Description string               `json:"description"`
	AI          bool                 `json:"ai"`
	Created     time.Time            `json:"created"`
}

func (r *register) isBlocked(g localapi.Graph) bool { return slices.Contains(r.Blocked, g) }

func readRegister(path string) (register, error) {
	empty := register{Version: registerVersion, Tokens: []record{}, Blocked: []localapi.Graph{}}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return register{}, corrupted(path, err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxRegister+1))
	if err == nil && len(data) > maxRegister {
		err = fmt.Errorf("it is larger than %d bytes", maxRegister)
	}
	if err != nil {
		return register{}, corrupted(path, err)
	}
	r, err := parseRegister(data)
	if err != nil {
		return register{}, corrupted(path, err)
	}
	return r, nil
}

func parseRegister(data []byte) (register, error) {
	var r register
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return register{}, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return register{}, errors.New("something follows its end")
	}
	if r.Version != registerVersion {
		return register{}, fmt.Errorf("its version is %d, this program reads %d", r.Version, registerVersion)
	}
	for i, t := range r.Tokens {
		hash, err := hex.DecodeString(t.SHA256)
		_, levelErr := localapi.ParseAccessLevel(string(t.AccessLevel))
		if err != nil || levelErr != nil || len(hash) != 32 || !isGraph(t.Graph) {
			return register{}, fmt.Errorf("its token %d makes no sense", i+1)
		}
	}
	for i, g := range r.Blocked {
		if !isGraph(g) {
			return register{}, fmt.Errorf("its blocked graph %d makes no sense", i+1)
		}
	}
	return r, nil
}

func isGraph(g localapi.Graph) bool {
	return localapi.ValidGraphName(g.Name) && (g.Type == localapi.Hosted || g.Type == localapi.Offline)
}

func corrupted(path string, err error) *problem.Error {
	return &problem.Error{
		Code:    localapi.CodeTokenFileCorrupted,
		Message: fmt.Sprintf("The sandbox's token file %s can't be read: %v.", path, err),
		Hint:    problem.Say("Remove that file to begin with no tokens, or put back a copy of it."),
		Err:     err,
	}
}

// save writes a changed register to disk and, if that succeeds, adopts it.
func (d *Desk) save(changed register) error {
	data, err := json.MarshalIndent(changed, "", "  ")
	if err == nil {
		err = atomicfile.Write(d.options.Path, append(data, '\n'))
	}
	if err != nil {
		return unsaved(err)
	}
	d.register = changed
	return nil
}
