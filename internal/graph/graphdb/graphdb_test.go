package graphdb

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

func transact(t testing.TB, c *Conn, write func(*Tx) error) Report {
	t.Helper()
	r, err := c.Transact(t.Context(), write)
	require.NoError(t, err)
	return r
}

func wantCode(t testing.TB, err error, code Code) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error %v, want code %s", err, code)
	}
	return e
}

// page makes a page and blocks under it.
func page(tx *Tx, title string, strings ...string) (EID, error) {
	p := tx.NewEntity()
	if err := tx.SetAll(p, map[Attr]Value{NodeTitle: StringValue(title), BlockUID: StringValue("uid-" + title)}); err != nil {
		return 0, err
	}
	for i, s := range strings {
		b := tx.NewEntity()
		err := errors.Join(
			tx.SetAll(b, map[Attr]Value{BlockString: StringValue(s), BlockOrder: IntValue(int64(i)), BlockPage: RefValue(p)}),
			tx.Set(p, BlockChildren, RefValue(b)))
		if err != nil {
			return 0, err
		}
	}
	return p, nil
}

func TestTransact(t *testing.T) {
	c := NewConn(RoamSchema())
	var p EID
	r := transact(t, c, func(tx *Tx) error {
		var err error
		if p, err = page(tx, "Garden", "dig", "sow"); err != nil {
			return err
		}
		if got, ok := tx.Lookup(NodeTitle, StringValue("Garden")); !ok || got != p {
			t.Errorf("inside: %d %v", got, ok)
		}
		if len(tx.Refs(p, BlockChildren)) != 2 {
			t.Errorf("inside: %v", tx.Refs(p, BlockChildren))
		}
		if _, ok := c.DB().Lookup(NodeTitle, StringValue("Garden")); ok {
			t.Error("outside sees it too early")
		}
		return nil
	})
	if r.Tx != 1 || r.After.BasisTx() != 1 || r.Before.BasisTx() != 0 || c.DB() != r.After || len(slices.Collect(r.Datoms())) != 10 {
		t.Errorf("report %+v", r)
	}
	kids := c.DB().Refs(p, BlockChildren)
	if got := c.DB().Reverse(BlockPage, p); !slices.Equal(got, kids) || c.DB().ReverseCount(BlockPage, p) != 2 {
		t.Errorf("reverse %v, children %v", got, kids)
	}
	if got := slices.Collect(c.DB().ReverseSeq(BlockChildren, kids[1])); !slices.Equal(got, []EID{p}) {
		t.Errorf("parent %v", got)
	}
	if c.DB().String(kids[1], BlockString) != "sow" || c.DB().Ref(kids[1], BlockPage) != p {
		t.Error("values of the second child")
	}
	if n, ok := c.DB().Int(kids[1], BlockOrder); n != 1 || !ok {
		t.Error("order of the second child")
	}
}

func TestReport(t *testing.T) {
	c := NewConn(RoamSchema())
	transact(t, c, func(tx *Tx) error { return tx.Set(1, BlockString, StringValue("a")) })
	r := transact(t, c, func(tx *Tx) error {
		return errors.Join(
			tx.Set(1, BlockString, StringValue("b")), tx.Set(1, BlockString, StringValue("c")),
			tx.Set(1, BlockOrder, IntValue(1)), tx.RetractAttr(1, BlockOrder),
			tx.Set(1, BlockRefs, RefValue(2)), tx.Set(1, BlockRefs, RefValue(3)), tx.Retract(1, BlockRefs, RefValue(2)))
	})
	want := []Datom{
		{1, BlockString, StringValue("a"), 2, false}, {1, BlockString, StringValue("c"), 2, true},
		{1, BlockRefs, RefValue(3), 2, true},
	}
	if got := slices.Collect(r.Datoms()); !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	same := transact(t, c, func(tx *Tx) error {
		return errors.Join(tx.Set(1, BlockString, StringValue("x")), tx.Set(1, BlockString, StringValue("c")))
	})
	if same.After != same.Before || same.Tx != 2 || len(slices.Collect(same.Datoms())) != 0 {
		t.Errorf("a transaction that changes nothing: %+v", same)
	}
}

func TestTransactFails(t *testing.T) {
	boom := errors.New("boom")
	var refuse bool
	for name, fail := range map[string]struct {
		write func(*Tx) error
		hook  bool
	}{
		"the function fails": {func(tx *Tx) error {
			_ = tx.Set(1, BlockString, StringValue("new"))
			_ = tx.RetractEntity(2)
			return boom
		}, false},
		"the hook fails": {func(tx *Tx) error { return tx.Set(1, BlockString, StringValue("new")) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewConn(RoamSchema(), WithCommitHook(func(Report) error {
				if refuse {
					return boom
				}
				return nil
			}))
			transact(t, c, func(tx *Tx) error { _, err := page(tx, "P", "a", "b"); return err })
			before := c.DB()
			list := slices.Collect(before.All())
			refuse = fail.hook
			_, err := c.Transact(t.Context(), fail.write)
			if refuse = false; !errors.Is(err, boom) {
				t.Fatalf("error %v", err)
			}
			if c.DB() != before || !slices.Equal(slices.Collect(before.All()), list) {
				t.Error("something changed")
			}
			transact(t, c, func(tx *Tx) error { return tx.Set(1, NodeTitle, StringValue("Q")) })
			if c.DB().BasisTx() != 2 {
				t.Errorf("basis %d: a failed transaction took a number", c.DB().BasisTx())
			}
		})
	}
}

func TestTransactPanics(t *testing.T) {
	c := NewConn(RoamSchema())
	func() {
		defer func() { _ = recover() }()
		_, _ = c.Transact(t.Context(), func(tx *Tx) error {
			_ = tx.Set(1, BlockString, StringValue("half"))
			panic("mistake")
		})
	}()
	if c.DB().Count(BlockString) != 0 {
		t.Error("half a transaction was published")
	}
	transact(t, c, func(tx *Tx) error { return tx.Set(1, BlockString, StringValue("whole")) })
}

func TestCommitHook(t *testing.T) {
	var c *Conn
	called := 0
	c = NewConn(RoamSchema(), WithClock(func() time.Time { return time.UnixMilli(42) }), WithCommitHook(func(r Report) error {
		called++
		if c.DB() != r.Before || r.After.Count(BlockString) != 1 || r.Time != time.UnixMilli(42) {
			t.Errorf("in the hook: %+v", r)
		}
		return nil
	}))
	transact(t, c, func(tx *Tx) error { return tx.Set(1, BlockString, StringValue("x")) })
	if called != 1 {
		t.Errorf("the hook was called %d times", called)
	}
}

func TestTxRefuses(t *testing.T) {
	c := NewConn(RoamSchema())
	transact(t, c, func(tx *Tx) error { _, err := page(tx, "Taken"); return err })
	for name, w := range map[string]struct {
		code  Code
		write func(*Tx) error
	}{
		"a title that another page has":  {CodeUniqueConflict, func(tx *Tx) error { return tx.Set(7, NodeTitle, StringValue("Taken")) }},
		"a number as text":               {CodeInvalidValue, func(tx *Tx) error { return tx.Set(7, BlockString, IntValue(1)) }},
		"text as a reference":            {CodeInvalidValue, func(tx *Tx) error { return tx.Set(7, BlockRefs, StringValue("x")) }},
		"a reference in a plain column":  {CodeInvalidValue, func(tx *Tx) error { return tx.Set(7, BlockOpen, RefValue(1)) }},
		"a reference to nothing":         {CodeInvalidEntity, func(tx *Tx) error { return tx.Set(7, BlockRefs, RefValue(0)) }},
		"no value":                       {CodeInvalidValue, func(tx *Tx) error { return tx.Set(7, BlockOpen, Value{}) }},
		"entity 0":                       {CodeInvalidEntity, func(tx *Tx) error { return tx.Set(0, BlockOpen, BoolValue(true)) }},
		"an entity below 0":              {CodeInvalidEntity, func(tx *Tx) error { return tx.Set(-1, BlockOpen, BoolValue(true)) }},
		"an entity beyond the last":      {CodeInvalidEntity, func(tx *Tx) error { return tx.Set(MaxEID+1, BlockOpen, BoolValue(true)) }},
		"an attribute without its colon": {CodeInvalidValue, func(tx *Tx) error { return tx.Set(7, "open", BoolValue(true)) }},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Transact(t.Context(), w.write)
			e := wantCode(t, err, w.code)
			if w.code == CodeUniqueConflict && e.Other == 0 {
				t.Error("the holder is not named")
			}
		})
	}
	var kept *Tx
	transact(t, c, func(tx *Tx) error { kept = tx; return nil })
	wantCode(t, kept.Set(7, BlockOpen, BoolValue(true)), CodeClosed)
	wantCode(t, kept.Retract(7, BlockOpen, BoolValue(true)), CodeClosed)
}

func TestUniqueValueIsFreedByRetraction(t *testing.T) {
	c := NewConn(RoamSchema())
	transact(t, c, func(tx *Tx) error {
		return errors.Join(
			tx.Set(1, NodeTitle, StringValue("A")), tx.Set(1, NodeTitle, StringValue("B")), tx.Set(2, NodeTitle, StringValue("A")),
			tx.RetractEntity(1), tx.Set(3, NodeTitle, StringValue("B")))
	})
	for title, want := range map[string]EID{"A": 2, "B": 3} {
		if e, _ := c.DB().Lookup(NodeTitle, StringValue(title)); e != want {
			t.Errorf("%s is %d, want %d", title, e, want)
		}
	}
}

func TestRetractEntity(t *testing.T) {
	c := NewConn(RoamSchema())
	transact(t, c, func(tx *Tx) error {
		return errors.Join(
			tx.Set(1, ":diagram/nodes", RefValue(2)), tx.Set(2, BlockString, StringValue("component")),
			tx.Set(3, BlockRefs, RefValue(1)), tx.Set(3, BlockRefs, RefValue(2)), tx.Set(3, BlockRefs, RefValue(4)),
			tx.Set(1, BlockRefs, RefValue(1)))
	})
	transact(t, c, func(tx *Tx) error { return tx.RetractEntity(1) })
	want := []Datom{{E: 3, A: BlockRefs, V: RefValue(4), Added: true}}
	if got := slices.Collect(c.DB().All()); !slices.Equal(got, want) {
		t.Errorf("left: %v", got)
	}
}

func TestMixedKinds(t *testing.T) {
	c := NewConn(RoamSchema())
	values := []Value{IntValue(1), StringValue("1"), BoolValue(true), FloatValue(1), KeywordValue(":one"), OpaqueValue(`{"a":1}`)}
	transact(t, c, func(tx *Tx) error {
		for i, v := range values {
			if err := tx.Set(EID(i+1), BlockProps, v); err != nil {
				return err
			}
		}
		return nil
	})
	i := 0
	for e, v := range c.DB().Entities(BlockProps) {
		if e != EID(i+1) || v != values[i] {
			t.Errorf("%d holds %v, want %v", e, v, values[i])
		}
		i++
	}
	if i != len(values) || c.DB().Count(BlockProps) != len(values) {
		t.Errorf("%d values", i)
	}
}

func TestTransactContext(t *testing.T) {
	c := NewConn(RoamSchema())
	ctx, cancel := context.WithCancel(t.Context())
	_, err := c.Transact(ctx, func(tx *Tx) error {
		cancel()
		return tx.Set(1, BlockString, StringValue("x"))
	})
	if !errors.Is(err, context.Canceled) || c.DB().BasisTx() != 0 {
		t.Errorf("%v, basis %d", err, c.DB().BasisTx())
	}
	transact(t, c, func(*Tx) error { // a second writer gives up its turn when its context ends
		_, err := c.Transact(ctx, func(*Tx) error { return nil })
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		return nil
	})
}

func withNoError(seq iter.Seq[Datom]) iter.Seq2[Datom, error] {
	return func(yield func(Datom, error) bool) {
		for d := range seq {
			if !yield(d, nil) {
				return
			}
		}
	}
}

func TestLoad(t *testing.T) {
	c := NewConn(RoamSchema())
	transact(t, c, func(tx *Tx) error { _, err := page(tx, "P", "a", "b"); return err })
	loaded, err := Load(t.Context(), RoamSchema(), withNoError(c.DB().All()), WithBasis(9, 50))
	require.NoError(t, err)
	if !slices.Equal(slices.Collect(loaded.DB().All()), slices.Collect(c.DB().All())) || loaded.DB().BasisTx() != 9 || loaded.DB().LastEntity() != 50 {
		t.Error("the loaded graph differs")
	}
	r := transact(t, loaded, func(tx *Tx) error { _, err := page(tx, "Q"); return err })
	if first := slices.Collect(r.Datoms())[0].E; r.Tx != 10 || first != 51 {
		t.Errorf("numbering goes on at %d, %d", r.Tx, first)
	}
}

func TestLoadRefuses(t *testing.T) {
	title := func(e EID) Datom { return Datom{E: e, A: NodeTitle, V: StringValue("P"), Added: true} }
	for name, c := range map[string]struct {
		code   Code
		datoms []Datom
	}{
		"two pages of one title": {CodeUniqueConflict, []Datom{title(1), title(2)}},
		"a retraction":           {CodeInvalidValue, []Datom{{E: 1, A: NodeTitle, V: StringValue("P")}}},
		"an entity below 1":      {CodeInvalidEntity, []Datom{title(-4)}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(t.Context(), RoamSchema(), withNoError(slices.Values(c.datoms)))
			wantCode(t, err, c.code)
		})
	}
	broken := errors.New("disk")
	_, err := Load(t.Context(), RoamSchema(), func(yield func(Datom, error) bool) { yield(Datom{}, broken) })
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}

// TestConcurrentReaders moves a sum between two entities while
// readers add it up.
func TestConcurrentReaders(t *testing.T) {
	c := NewConn(RoamSchema())
	transact(t, c, func(tx *Tx) error {
		return errors.Join(tx.Set(1, BlockOrder, IntValue(100)), tx.Set(900, BlockOrder, IntValue(0)))
	})
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				db := c.DB()
				sum := int64(0)
				for _, v := range db.Entities(BlockOrder) {
					sum += v.Int()
				}
				if held := len(db.Refs(1, BlockRefs)); sum != 100 || int64(held) != db.BasisTx()-1 {
					t.Errorf("sum %d, %d references at %d", sum, held, db.BasisTx())
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for i := range 300 {
		transact(t, c, func(tx *Tx) error {
			a, _ := tx.Int(1, BlockOrder)
			b, _ := tx.Int(900, BlockOrder)
			return errors.Join(tx.Set(1, BlockOrder, IntValue(a-1)), tx.Set(1, BlockRefs, RefValue(EID(1000+i))), tx.Set(900, BlockOrder, IntValue(b+1)))
		})
	}
	close(stop)
	wg.Wait()
}

func TestFillPublishesWithoutAList(t *testing.T) {
	hooked := 0
	c := NewConn(RoamSchema(), WithCommitHook(func(Report) error { hooked++; return nil }))
	set := func(text string, err error) func(*Tx) error {
		return func(tx *Tx) error {
			require.NoError(t, tx.Set(1, BlockString, StringValue(text)))
			return err
		}
	}
	failed := errors.New("failed")
	for _, step := range []struct {
		text string
		err  error
		want string
		tx   int64
	}{{"a", nil, "a", 1}, {"b", failed, "a", 1}, {"b", nil, "b", 2}, {"b", nil, "b", 3}} {
		if err := c.Fill(t.Context(), set(step.text, step.err)); !errors.Is(err, step.err) {
			t.Errorf("%+v: %v", step, err)
		}
		if db := c.DB(); db.String(1, BlockString) != step.want || db.BasisTx() != step.tx {
			t.Errorf("%+v: %q, transaction %d", step, db.String(1, BlockString), db.BasisTx())
		}
	}
	report, err := c.Transact(t.Context(), set("c", nil))
	if datoms := slices.Collect(report.Datoms()); err != nil || len(datoms) != 2 || hooked != 1 {
		t.Errorf("%v, %v, %d hooks", datoms, err, hooked)
	}
}
