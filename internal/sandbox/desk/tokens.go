package desk

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/files"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// Scope is a right that a token carries: edit implies append implies read.
type Scope string

const (
	Read   Scope = "read"
	Append Scope = "append"
	Edit   Scope = "edit"
)

// Scopes lists the scopes of a level (LOCAL_API.md 1.4).
func Scopes(level localapi.AccessLevel) []Scope {
	switch {
	case level.CanEdit():
		return []Scope{Read, Append, Edit}
	case level.CanAppend():
		return []Scope{Read, Append}
	case level.Known():
		return []Scope{Read}
	}
	return nil
}

// TokenInfo describes a token. It does not hold the token itself.
type TokenInfo struct {
	Graph       localapi.Graph
	AccessLevel localapi.AccessLevel
	Description string
	AI          bool
	Created     time.Time
	LastFour    string
}

// May reports whether the token carries the scope.
func (t TokenInfo) May(scope Scope) bool { return slices.Contains(Scopes(t.AccessLevel), scope) }

const (
	maxDescription = 1000
	nanoidAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	nanoidLength   = localapi.TokenLength - len(localapi.TokenPrefix)
)

// Check returns why a request is invalid, as RequestAccess would.
func (a Access) Check() error {
	_, err := checkAccess(a)
	return err
}

func checkAccess(access Access) (Access, error) {
	switch {
	case access.Graph.Name == "":
		return access, invalid("Graph name is required")
	case !isGraph(access.Graph):
		return access, invalid(fmt.Sprintf("%q (%s) can't be a graph", access.Graph.Name, access.Graph.Type))
	case strings.TrimSpace(access.Description) == "":
		return access, invalid("Description is required")
	case len(access.Description) > maxDescription:
		return access, invalid(fmt.Sprintf("Description is longer than %d bytes", maxDescription))
	}
	if _, err := localapi.ParseAccessLevel(string(access.AccessLevel)); err != nil {
		return access, invalid("Access level must be one of: read-only, read-append, full")
	}
	access.Description = printable(access.Description)
	return access, nil
}

// printable makes a client's text safe for a terminal: it replaces what must not be shown,
// and folds white space.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if textsafe.Unshowable(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// issue makes a token and saves its hash; the caller holds the lock.
func (d *Desk) issue(access Access, level localapi.AccessLevel) (Grant, error) {
	secret := localapi.TokenPrefix + nanoid()
	token, err := localapi.ParseToken(secret)
	if err != nil {
		return Grant{}, fmt.Errorf("make a token: %w", err)
	}
	changed := d.register
	changed.Tokens = append(slices.Clone(d.register.Tokens), record{
		Graph: access.Graph, SHA256: hash(secret), LastFour: secret[len(secret)-4:],
		AccessLevel: level, Scopes: Scopes(level), Description: access.Description, AI: access.AI,
		Created: d.options.Now().UTC(),
	})
	if err := d.save(changed); err != nil {
		return Grant{}, err
	}
	return Grant{Token: token, AccessLevel: level}, nil
}

// nanoid returns random characters. The alphabet has 64, so the six low bits of a
// random byte choose one evenly.
func nanoid() string {
	var random [nanoidLength]byte
	_, _ = rand.Read(random[:]) // never fails: it ends the program instead
	for i, b := range random {
		random[i] = nanoidAlphabet[b&63]
	}
	return string(random[:])
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Check returns what the token of a request permits on a graph. The codes of its
// errors are localapi.CodeInvalidTokenFormat, CodeWrongGraphType and
// CodeTokenNotFound (LOCAL_API.md 1.6). They never quote the token.
func (d *Desk) Check(secret string, graph localapi.Graph) (TokenInfo, error) {
	token, err := localapi.ParseToken(secret)
	if err != nil {
		return TokenInfo{}, &problem.Error{Code: localapi.CodeInvalidTokenFormat, Message: "Invalid token format: " + err.Error() + "."}
	}
	sum := hash(token.Reveal())
	d.mu.Lock()
	at := slices.IndexFunc(d.register.Tokens, func(t record) bool { return t.SHA256 == sum })
	var found record
	if at >= 0 {
		found = d.register.Tokens[at]
	}
	d.mu.Unlock()
	switch {
	case at < 0:
		return TokenInfo{}, &problem.Error{Code: localapi.CodeTokenNotFound, Message: "Token not recognized for graph " + graph.Name + "."}
	case found.Graph == graph:
		return found.info(), nil
	case found.Graph.Name == graph.Name:
		return TokenInfo{}, wrongType(found.Graph)
	}
	return TokenInfo{}, &problem.Error{Code: localapi.CodeTokenNotFound, Message: "Token not valid for this graph."}
}

func wrongType(owner localapi.Graph) *problem.Error {
	how := "add ?type=offline to the URL"
	if owner.Type == localapi.Hosted {
		how = "leave ?type=offline out of the URL"
	}
	return &problem.Error{
		Code:    localapi.CodeWrongGraphType,
		Message: fmt.Sprintf("This token is for the %s graph named %s: %s.", owner.Type, owner.Name, how),
	}
}

func (t record) info() TokenInfo {
	return TokenInfo{
		Graph: t.Graph, AccessLevel: t.AccessLevel, Description: t.Description,
		AI: t.AI, Created: t.Created, LastFour: t.LastFour,
	}
}

// Tokens lists the tokens of all graphs, oldest first.
func (d *Desk) Tokens() []TokenInfo {
	d.mu.Lock()
	defer d.mu.Unlock()
	infos := make([]TokenInfo, 0, len(d.register.Tokens))
	for _, t := range d.register.Tokens {
		infos = append(infos, t.info())
	}
	return infos
}

// Revoke revokes the tokens of a graph that end in lastFour, all of them if it is
// empty, and returns how many. A leading "…" is allowed, as in localapi.Token.Hint.
func (d *Desk) Revoke(graph localapi.Graph, lastFour string) (int, error) {
	lastFour = strings.TrimPrefix(lastFour, "…")
	return d.revoke(func(t record) bool {
		return t.Graph == graph && (lastFour == "" || t.LastFour == lastFour)
	})
}

func (d *Desk) revoke(match func(record) bool) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	changed := d.register
	changed.Tokens = slices.DeleteFunc(slices.Clone(d.register.Tokens), match)
	revoked := len(d.register.Tokens) - len(changed.Tokens)
	if revoked == 0 {
		return 0, nil
	}
	return revoked, d.save(changed)
}

// Blocked lists the graphs for which "never" was chosen.
func (d *Desk) Blocked() []localapi.Graph {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.register.Blocked)
}

// Unblock allows token requests for a graph again. It reports whether the graph was
// blocked.
func (d *Desk) Unblock(graph localapi.Graph) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.register.isBlocked(graph) {
		return false, nil
	}
	changed := d.register
	changed.Blocked = slices.DeleteFunc(slices.Clone(d.register.Blocked), func(g localapi.Graph) bool { return g == graph })
	return true, d.save(changed)
}

// block blocks a graph; the caller holds the lock.
func (d *Desk) block(graph localapi.Graph) error {
	changed := d.register
	changed.Blocked = append(slices.Clone(d.register.Blocked), graph)
	return d.save(changed)
}

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
	data, err := files.ReadOwn(path, maxRegister)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
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
		err = files.ReplaceAtomically(d.options.Path, append(data, '\n'))
	}
	if err != nil {
		return unsaved(err)
	}
	d.register = changed
	return nil
}
