"""Builders, fakes and plugins that several tests share."""
