package install

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/files"
)

// ProofLog is the file that remembers which entries of clients were proven. It holds no
// secret, and can be deleted at any time. It needs no lock: of two programs that write at
// once, one proof is forgotten.
type ProofLog struct{ Path string }

const (
	maxProofLog = 1 << 20 // bytes
	maxProofs   = 200
)

// Proofs are what a ProofLog holds.
type Proofs struct {
	Version int       `json:"version"`
	Proofs  []proving `json:"proofs"`
}

// proving is an entry that was proven.
type proving struct {
	Client  string    `json:"client"` // its ID
	Entry   string    `json:"entry"`  // name in the client's file
	Command []string  `json:"command"`
	At      time.Time `json:"at"`
}

func provingOf(client string, entry clients.Entry, at time.Time) proving {
	return proving{client, entry.Name, append([]string{entry.Command}, entry.Args...), at.UTC().Truncate(time.Second)}
}

// Read returns the remembered proofs, none if the file can't be read.
func (l ProofLog) Read() Proofs {
	data, err := files.ReadOwn(l.Path, maxProofLog)
	var all Proofs
	if err != nil || json.Unmarshal(data, &all) != nil {
		return Proofs{}
	}
	return all
}

// Of returns when an entry was last proven as it stands; zero: it was not.
func (p Proofs) Of(client string, entry clients.Entry) time.Time {
	want := provingOf(client, entry, time.Time{})
	for _, each := range p.Proofs {
		if each.Client == want.Client && each.Entry == want.Entry && slices.Equal(each.Command, want.Command) {
			return each.At
		}
	}
	return time.Time{}
}

// Remember notes when an entry was proven; with a zero time, that it was not.
func (l ProofLog) Remember(client string, entry clients.Entry, at time.Time) error {
	if err := os.MkdirAll(filepath.Dir(l.Path), 0o700); err != nil {
		return err
	}
	all := l.Read().Proofs
	all = slices.DeleteFunc(all, func(p proving) bool { return p.Client == client && p.Entry == entry.Name })
	all = append([]proving{provingOf(client, entry, at)}, all...)
	data, err := json.MarshalIndent(Proofs{1, all[:min(len(all), maxProofs)]}, "", "  ")
	if err != nil {
		return err
	}
	return files.ReplaceAtomically(l.Path, append(data, '\n'))
}
