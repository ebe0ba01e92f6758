package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// streamMsg is a message of a stream. The root takes the message, then asks for the next
// one.
type streamMsg struct {
	msg  tea.Msg
	next tea.Cmd
}

// next waits for a value of a channel, and returns its message, after which the values that
// follow come as well; nil once the channel is closed.
func next[T any](values <-chan T, message func(T) tea.Msg) tea.Msg {
	value, open := <-values
	if !open {
		return nil
	}
	return streamMsg{message(value), func() tea.Msg { return next(values, message) }}
}

// reporting returns a command for work that sends messages while it goes on. They are taken
// in their order; those that were not taken when ctx ends may be dropped.
func reporting(ctx context.Context, work func(send func(tea.Msg))) tea.Cmd {
	messages := make(chan tea.Msg)
	return tea.Batch(
		func() tea.Msg { return next(messages, func(msg tea.Msg) tea.Msg { return msg }) },
		func() tea.Msg {
			defer close(messages)
			work(func(msg tea.Msg) {
				select {
				case messages <- msg:
				case <-ctx.Done():
				}
			})
			return nil
		},
	)
}

// newsMsg reports that what is watched may have changed.
type newsMsg struct{ id int }

// follow returns a command that begins to watch something. Its first message is of no
// change: what is read then misses none.
func (e *env) follow(ctx context.Context, watch func(context.Context) <-chan struct{}) (id int, cmd tea.Cmd) {
	id = e.nextID()
	return id, func() tea.Msg {
		changes, news := watch(ctx), newsMsg{id}
		return streamMsg{news, func() tea.Msg { return next(changes, func(struct{}) tea.Msg { return news }) }}
	}
}
