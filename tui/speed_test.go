package tui

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/manage"
)

// crowd makes a world of so many graphs, some of them configured.
func crowd(configured, others int) (configstore.Config, manage.RoamStatus) {
	config := configstore.Config{Version: 1, Exists: true}
	roam := manage.RoamStatus{Known: true, Address: "127.0.0.1:3333"}
	for i := range configured {
		e := entry(fmt.Sprintf("Nickname %d", i), hosted(fmt.Sprintf("graph-%04d", i)), localapi.Full, fmt.Sprintf("%04d", i))
		config.Entries = append(config.Entries, e)
		roam.Available = append(roam.Available, e.Graph())
	}
	for i := range others {
		roam.Available = append(roam.Available, offline(fmt.Sprintf("other-%04d", i)))
	}
	return config, roam
}

// started is a program that has looked at such a world.
func started(config configstore.Config, roam manage.RoamStatus) *root {
	ports := Ports{Graphs: &manage.Manager{Store: &fakeStore{}, Roam: &fakeRoam{}, Clock: func() time.Time { return start }}}
	r := newRoot(context.Background(), ports, Options{Environ: []string{"LANG=C.UTF-8"}})
	r.Update(tea.WindowSizeMsg{Width: 160, Height: 50})
	r.Update(configMsg{event: configstore.Event{Config: config}, open: true})
	r.Update(polledMsg{roam})
	return r
}

// BenchmarkTwoThousandGraphs measures what passes between a key and the frame
// that it leads to.
func BenchmarkTwoThousandGraphs(b *testing.B) {
	config, roam := crowd(1000, 1000)
	b.Run("first frame", func(b *testing.B) {
		for b.Loop() {
			if started(config, roam).View().Content == "" {
				b.Fatal("nothing is drawn")
			}
		}
	})
	steps := map[string][]tea.Msg{
		"scroll": {keyPress("down")},
		"wheel":  {tea.MouseWheelMsg{Button: tea.MouseWheelDown}, tea.MouseWheelMsg{Button: tea.MouseWheelUp}},
		"page":   {keyPress("pgdown"), keyPress("end"), keyPress("g")},
		"sort":   {keyPress("S")},
		"tick":   {tickMsg{}},
	}
	for name, messages := range steps {
		b.Run(name, func(b *testing.B) {
			r, i := started(config, roam), 0
			for b.Loop() {
				r.Update(messages[i%len(messages)])
				_ = r.View()
				i++
			}
		})
	}
	b.Run("filter", func(b *testing.B) {
		r := started(config, roam)
		r.Update(keyPress("/"))
		keys := []string{"r", "0", "1", "backspace", "backspace", "backspace"}
		i := 0
		for b.Loop() {
			r.Update(keyPress(keys[i%len(keys)]))
			_ = r.View()
			i++
		}
	})
	b.Run("refresh", func(b *testing.B) {
		r, i := started(config, roam), 0
		for b.Loop() {
			next := roam
			next.Open = slices.Clone(roam.Available[i%1000 : i%1000+2])
			r.Update(polledMsg{next})
			_ = r.View()
			i++
		}
	})
}

// TestListIsMadeAnewOnlyAfterAChange counts on what the speed of
// long lists rests on: a frame or a move makes no new list.
func TestListIsMadeAnewOnlyAfterAChange(t *testing.T) {
	config, roam := crowd(20, 20)
	r := started(config, roam)
	list := r.stack[0].(*graphList)
	first := func() *row {
		rows, _ := list.rowsAndSelected()
		return &rows[0]
	}
	before := first()
	for _, msg := range []tea.Msg{keyPress("down"), tickMsg{}, polledMsg{roam}, tea.WindowSizeMsg{Width: 80, Height: 24}} {
		r.Update(msg)
		_ = r.View()
		if first() != before {
			t.Errorf("%T makes a new list", msg)
			before = first()
		}
	}
	opened := roam
	opened.Open = roam.Available[:1]
	for _, msg := range []tea.Msg{polledMsg{opened}, keyPress("S"), configMsg{event: configstore.Event{Config: config}, open: true}} {
		r.Update(msg)
		if first() == before {
			t.Errorf("%T makes no new list", msg)
		}
		before = first()
	}
}

// TestRefreshTakesNoMoreMemory runs the program's own timers in
// simulated time.
func TestRefreshTakesNoMoreMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector's own memory is in the heap, too")
	}
	synctest.Test(t, func(t *testing.T) {
		config, roam := crowd(200, 1800)
		h := prepare(t, func(h *harness) {
			h.store.config = config
			h.roam.available = roam.Available
			h.graphs.Clock, h.ticks = nil, true
			for _, e := range config.Entries {
				h.roam.tokens[e.Graph()] = localapi.TokenInfo{Status: localapi.TokenActive, AccessLevel: localapi.Full}
			}
		})
		h.boot(160, 50)
		looks := 0
		refresh := func(d time.Duration) {
			for end := time.Now().Add(d); time.Now().Before(end); {
				switch msg := (<-h.messages).(type) {
				case tea.BatchMsg:
					for _, cmd := range msg {
						h.run(cmd)
					}
				case nil:
				default:
					_, cmd := h.root.Update(msg)
					h.run(cmd)
					switch msg.(type) {
					case polledMsg:
						looks++ // and a graph is opened or closed
						h.roam.mu.Lock()
						h.roam.open = roam.Available[:looks%3]
						h.roam.mu.Unlock()
						_ = h.root.View()
					}
				}
			}
		}
		refresh(time.Minute)
		before := heap()
		refresh(10 * time.Minute)
		after := heap()
		if looks < 250 {
			t.Errorf("Roam was looked at %d times", looks)
		}
		if after > before+1<<20 {
			t.Errorf("the heap grew from %d to %d bytes", before, after)
		}
		close(h.store.events) // lets the command that waits for them end
		t.Logf("%d looks at Roam; heap %d KB before, %d KB after", looks, before>>10, after>>10)
	})
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
