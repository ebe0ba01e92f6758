package configstore

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/problem"
)

func TestAGrantedTokenIsKeptWhateverHappens(t *testing.T) {
	t.Run("although the one who asked has gone", func(t *testing.T) {
		s := New(filepath.Join(t.TempDir(), "config.json"))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		kept, err := s.Keep(ctx, entry(t, "notes", "Notes"), t.TempDir())
		if err != nil || kept.Nickname != "Notes" {
			t.Fatalf("%+v, %v", kept, err)
		}
		if c, err := s.Load(t.Context()); err != nil || len(c.Entries) != 1 || c.Entries[0] != kept {
			t.Errorf("%+v, %v", c, err)
		}
	})
	t.Run("although its nickname was taken meanwhile", func(t *testing.T) {
		s := New(filepath.Join(t.TempDir(), "config.json"))
		if err := s.Save(t.Context(), entry(t, "other", "Notes")); err != nil {
			t.Fatal(err)
		}
		kept, err := s.Keep(t.Context(), entry(t, "notes", "notes"), t.TempDir())
		if err != nil || kept.Nickname != "notes 2" {
			t.Errorf("%+v, %v", kept, err)
		}
	})
	t.Run("in a file of its own where the configuration can't be written", func(t *testing.T) {
		folder := t.TempDir()
		s := New(filepath.Join(folder, "missing", "config.json"))
		_, err := s.Keep(t.Context(), entry(t, "notes", "Notes"), filepath.Join(folder, "rescued"))
		e, ok := problem.As(err)
		if !ok || e.Code != CodeConfigUnwritable {
			t.Fatalf("%v", err)
		}
		files, _ := filepath.Glob(filepath.Join(folder, "rescued", "*"))
		if len(files) != 1 || !strings.Contains(e.Message, files[0]) || (problem.World{}).Say(e.Hint) != "Mend that, then: roam-mcp import "+files[0] {
			t.Fatalf("%v: %q", files, e)
		}
		entries, _, err := ReadOfficial(files[0])
		if err != nil || len(entries) != 1 || entries[0].Token != entry(t, "notes", "Notes").Token {
			t.Errorf("%+v, %v", entries, err)
		}
	})
	t.Run("and where nothing can be written the error says so", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := New(filepath.Join(file, "config.json")).Keep(t.Context(), entry(t, "notes", "Notes"), filepath.Join(file, "rescued"))
		if !strings.Contains(err.Error(), "could not be kept elsewhere") {
			t.Errorf("%v", err)
		}
		wantNoSecretInError(t, "Keep's error", err)
	})
}

func TestATokenThatComesLaterUndoesNothingThatWasDoneMeanwhile(t *testing.T) {
	before := entry(t, "notes", "Work")
	granted := before
	granted.Token = token(t, "new")
	for name, c := range map[string]struct {
		keep     func(*Store) (Entry, error)
		nickname string
	}{
		"renewed":         {func(s *Store) (Entry, error) { return s.Renew(t.Context(), granted, t.TempDir()) }, "Job"},
		"connected again": {func(s *Store) (Entry, error) { return s.Keep(t.Context(), granted, t.TempDir()) }, "Work"},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(filepath.Join(t.TempDir(), "config.json"))
			must(t, s.Save(t.Context(), before))
			must(t, s.SetDisabled(t.Context(), "Work", true))
			must(t, s.Rename(t.Context(), "Work", "Job"))
			kept, err := c.keep(s)
			want := granted
			want.Nickname, want.Disabled = c.nickname, true
			if err != nil || kept != want || mustLoad(t, s).Entries[0] != want {
				t.Errorf("kept %+v, %v", kept, err)
			}
		})
	}
	t.Run("renewed, although it was removed", func(t *testing.T) {
		s := New(filepath.Join(t.TempDir(), "config.json"))
		if kept, err := s.Renew(t.Context(), granted, t.TempDir()); err != nil || kept != granted || mustLoad(t, s).Entries[0] != granted {
			t.Errorf("kept %+v, %v", kept, err)
		}
	})
}
