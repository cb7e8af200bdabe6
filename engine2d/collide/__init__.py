"""Shapes against shapes: geometry, contact points, distances, rays, times of impact."""
