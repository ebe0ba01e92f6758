package configstore

import (
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/require"
)

const withoutToken = `{"graphs":[{"name":"a","token":"TOKEN","nickname":"A"},
	{"name":"notes","token":"","nickname":"My notes","disabled":true,"colour":"red"}]}`

func TestAnEntryWithoutAToken(t *testing.T) {
	granted := func(t *testing.T) Entry { return entry(t, "notes", "Notes") }
	for name, tc := range map[string]struct {
		change func(*testing.T, *Store) error
		want   string // what the file holds then
	}{
		"is kept by other changes": {func(t *testing.T, s *Store) error { return s.SetDisabled(t.Context(), "A", true) }, `{"name":"notes","token":"","nickname":"My notes","disabled":true,"colour":"red"}`},
		"is enabled":               {func(t *testing.T, s *Store) error { return s.SetDisabled(t.Context(), "my notes", false) }, `"nickname":"My notes","disabled":false,"colour":"red"}`},
		"is renamed":               {func(t *testing.T, s *Store) error { return s.Rename(t.Context(), "My notes", "Diary") }, `"token":"","nickname":"Diary"`},
		"is removed":               {func(t *testing.T, s *Store) error { _, err := s.Remove(t.Context(), "My notes"); return err }, `{"graphs":[{"name":"a","token":"TOKEN","nickname":"A"}]}`},
		"gets a granted token and stays as it is": {func(t *testing.T, s *Store) error { _, err := s.SaveGrant(t.Context(), granted(t), true); return err }, `{"name":"notes","token":"TOKENnotes","nickname":"My notes","disabled":true,"colour":"red",`},
		"gets a token that is imported": {func(t *testing.T, s *Store) error {
			_, err := s.Import(t.Context(), []Entry{granted(t)})
			return err
		}, `{"name":"notes","token":"TOKENnotes","nickname":"My notes","disabled":true,"colour":"red",`},
		"keeps its nickname from others": {func(t *testing.T, s *Store) error {
			wantCode(t, s.Rename(t.Context(), "A", "my NOTES"), CodeNicknameTaken)
			saved, err := s.SaveGrant(t.Context(), entry(t, "b", "My notes"), false)
			if saved.Nickname != "My notes 2" {
				t.Errorf("the other is called %q", saved.Nickname)
			}
			return err
		}, `"nickname":"My notes"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := storeWith(t, withoutToken)
			c := mustLoad(t, s)
			want := Entry{Name: "notes", Type: localapi.Hosted, Nickname: "My notes", Disabled: true}
			if found, ok := c.FindWithoutToken("MY notes"); nicknames(c.Entries) != "A" || len(c.WithoutToken) != 1 || !ok || found != want {
				t.Fatalf("got %+v", c)
			}
			require.NoError(t, tc.change(t, s))
			if text := compacted(t, fileText(t, s.Path())); !strings.Contains(text, tc.want) {
				t.Errorf("the file holds %s", text)
			}
		})
	}
}
