package mirror

import (
	"testing"

	"roam-mcp/internal/graph/graphdb"
)

// FuzzDecode reads any text as the reply to each query. What is read is within bounds,
// and a graph takes it in.
func FuzzDecode(f *testing.F) {
	for _, reply := range []string{
		`[[{"id":2,"u":"page-2","t":"A","e":5,"k":[{"id":3,"u":"block-3","s":"see [[A]] ((block-3))","o":0,"r":[{"id":2},{"id":3,"p":{"id":2}}],"x":true}]}]]`,
		`[{":db/id":2,"u":"page-2","t":"A","v":":numbered","cu":{":db/id":9}},null]`,
		`[[3,2,"text \"quoted\" \ud83d\ude00"]]`, `[[3,4,2,{"e":1}],[3,4,2,null]]`, `[3,4]`, `[[2,3,0]]`, `[[2,"A"]]`, `null`, `[[null]]`,
		`[[{"id":2,"u":"a","t":"A","k":[{"id":2,"u":"a","s":""}]}]]`, `[[{"id":1e300}]]`, `[[{"id":-1}]]`,
		`[[{"id":2,"u":"a","t":"A"}],[{"id":3,"u":"a","t":"A"}]]`, `[[{"id":2,"u":"a","t":"A","k":[{"id":3,"u":"b","s":"","k":[{"id":3,"u":"b","s":""}]}]}]]`,
	} {
		f.Add([]byte(reply))
	}
	f.Fuzz(func(t *testing.T, reply []byte) {
		for _, level := range []Need{Links, Texts} {
			s := newStore(level)
			_ = s.decode(reply).referring(func(block, page graphdb.EID, _ string) { check(t, block, page) })
			_ = s.decode(reply).referred(func(from, to, page graphdb.EID, _ int64) { check(t, from, to, page) })
			_ = s.decode(reply).structure(func(parent, block graphdb.EID, _ int64) { check(t, parent, block) })
			ids, _ := s.decode(reply).ids()
			_, _ = s.decode(reply).titles()
			_, _ = s.decode(reply).places()
			_ = ids
			roots, err := s.decode(reply).entities()
			if err != nil {
				continue
			}
			c := s.resume()
			if err := c.apply(t.Context(), roots); err != nil {
				continue // such as an entity in two places, with two uids
			}
			c.publish()
			v := View{derived: s.derived, db: s.db()}
			v.Links()
			for range v.Tags() {
			}
			for p := range v.Pages() {
				v.Note(p.UID)
			}
		}
	})
}

func check(t *testing.T, ids ...graphdb.EID) {
	for _, e := range ids {
		if e <= 0 || e > graphdb.MaxEID {
			t.Fatalf("the entity %d", e)
		}
	}
}
