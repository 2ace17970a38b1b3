create role lightkeeper login password 'change-this-password-4';
create database lightkeeper owner lightkeeper;
