//go:build unix

package main

import (
	"bytes"
	"image"
	"image/draw"
	"image/gif"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// decoded gives the frames of a GIF, as they lie in the file.
func decoded(t *testing.T, data []byte) *gif.GIF {
	t.Helper()
	film, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return film
}

// onto draws frames of a film upon another, as who shows it does.
func onto(frames []*image.Paletted) *image.NRGBA {
	all := image.NewNRGBA(frames[0].Rect)
	for _, frame := range frames {
		draw.Draw(all, frame.Rect, frame, frame.Rect.Min, draw.Over)
	}
	return all
}

func TestAFrameHasOnlyWhatChanges(t *testing.T) {
	p, err := newPen()
	if err != nil {
		t.Fatal(err)
	}
	shots := []shot{
		{screen: typed("The oven costs £4,200."), caption: "Before", hold: 100},
		{screen: typed("The oven costs £4,450."), caption: "Before", hold: 50},
		{screen: typed("The oven costs £4,450."), caption: "Before", hold: 20},
		{screen: typed("The oven costs £4,450."), caption: "Before", key: "y", hold: 30},
		{screen: typed("The oven costs £4,450."), caption: "After", hold: 80},
	}
	data, err := develop(p, shots, dark())
	if err != nil {
		t.Fatal(err)
	}
	film := decoded(t, data)
	if want := []int{100, 70, 30, 80}; !slices.Equal(film.Delay, want) {
		t.Fatalf("the frames last %v, want %v", film.Delay, want)
	}
	if changed, most := film.Image[1].Rect, image.Rect(margin+17*cellWidth, margin+strip, margin+20*cellWidth, margin+strip+cellHeight); !changed.In(most) {
		t.Errorf("the second frame is %v, more than the three digits in %v", changed, most)
	}
	for i, last := range map[int]shot{0: shots[0], 1: shots[1], 2: shots[3], 3: shots[4]} {
		alone, err := develop(p, []shot{last}, dark())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(onto(film.Image[:i+1]).Pix, onto(decoded(t, alone).Image).Pix) {
			t.Errorf("after frame %d the picture is another than that shot alone", i)
		}
	}
}

func TestTheClockOfAFilmIsTheFilmsOwn(t *testing.T) {
	c := clock{}
	for _, test := range []struct {
		at           time.Duration
		before, want string
	}{
		{3 * time.Second, "s1 ended 09:30:58  up 09:30", "s1 ended 14:02:03  up 14:02"},
		{8 * time.Second, "● 09:30:58 ● 09:31:01 10:4", "● 14:02:03 ● 14:02:08 10:4"},
		{9 * time.Second, "1234:56 09:31:01", "1234:56 14:02:08"},
	} {
		g := typed(test.before)
		if c.set(g, test.at); g.text() != test.want {
			t.Errorf("%q became %q, want %q", test.before, g.text(), test.want)
		}
	}
}

func TestTheMovingPictureIsShortAndSmall(t *testing.T) {
	for _, b := range []backdrop{dark(), light()} {
		t.Run(b.name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("../..", filmPath(b)))
			if err != nil {
				t.Fatal(err)
			}
			film, lasts := decoded(t, data), time.Duration(0)
			for _, delay := range film.Delay {
				lasts += time.Duration(delay) * 10 * time.Millisecond
			}
			if lasts > 45*time.Second || len(data) > 1_000_000 {
				t.Errorf("%s takes %v and has %d bytes, more than 45 s or 1 MB", filmPath(b), lasts, len(data))
			}
			if film.LoopCount != 0 {
				t.Errorf("%s ends after %d times", filmPath(b), film.LoopCount)
			}
		})
	}
}

func TestTheMovingPictureIsWhatTheProgramShows(t *testing.T) {
	if testing.Short() {
		t.Skip("plays the story twice, for half a minute")
	}
	t.Chdir("..")
	defer moveOut()
	if err := prepare(); err != nil {
		t.Fatal(err)
	}
	p, err := newPen()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []backdrop{dark(), light()} {
		t.Run(b.name, func(t *testing.T) {
			kept, err := os.ReadFile(filepath.Join(root, filmPath(b)))
			if err != nil {
				t.Fatal(err)
			}
			made, err := shoot(p, programAt, homeAt, b)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(kept, made) {
				return
			}
			was, is := decoded(t, kept), decoded(t, made)
			frame := 0
			for frame < min(len(was.Image), len(is.Image)) && was.Image[frame].Rect == is.Image[frame].Rect && bytes.Equal(was.Image[frame].Pix, is.Image[frame].Pix) {
				frame++
			}
			t.Errorf("%s differs from frame %d of %d on. Run `go -C tools run ./pictures %s`, and look at it", filmPath(b), frame+1, len(is.Image), filmName)
		})
	}
}
